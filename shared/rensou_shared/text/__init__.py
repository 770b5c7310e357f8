"""Pure functions over text: names, checks, terms, hashes and weights of the lexical arm."""
