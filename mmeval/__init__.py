"""mmeval: scores that say what they are."""
