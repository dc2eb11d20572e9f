"""Makes a language model of 0.4 million random parameters, with a tokenizer and a chat template, for vLLM.

    python tiny_model.py FOLDER [SEED]

Run by a python that has torch and transformers. What it says means nothing; that it says the same again does.
"""

from __future__ import annotations

import sys
from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}<|turn|>{{ message['role'] }}\n{{ message['content'] }}<|end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)
TEXT = """
Is the answer correct? Reply with a verdict: correct or incorrect. The question, the reference, the answer of
a model, and nothing else. {"verdict": "correct"} {"verdict": "incorrect"} yes no A B C D 1 2 3 4 5
"""
CONTEXT = 1024


def make_tokenizer(folder: Path) -> int:
    """A byte-level tokenizer, and the size of its vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|turn|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT] * 2, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|turn|>", eos_token="<|end|>", pad_token="<|end|>"
    )
    fast.chat_template = TEMPLATE
    fast.model_max_length = CONTEXT
    fast.save_pretrained(folder)
    return len(fast)


def make_model(folder: Path, seed: int) -> int:
    """The whole model; its number of parameters."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    size = make_tokenizer(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
        initializer_range=0.3,
    )
    model = LlamaForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(folder)
    return sum(each.numel() for each in model.parameters())


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    print(make_model(target, int(sys.argv[2]) if len(sys.argv) > 2 else 0))
