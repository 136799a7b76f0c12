"""The MCP server: translates arguments in, results and errors out; it decides nothing."""
