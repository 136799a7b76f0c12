"""The tools: one module per family, each translating between a contract and the use cases."""
