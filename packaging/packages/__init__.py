"""The formats that packaging/build makes, a module for each, from one staged tree."""
