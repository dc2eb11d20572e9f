"""What every rule set builds on: folding, reasoning tags, answer wrappers, normal forms."""
