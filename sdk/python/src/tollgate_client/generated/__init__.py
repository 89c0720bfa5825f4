# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
