"""Export as one HTML file with the tree, search and folding. It loads nothing and runs no script but its own."""
