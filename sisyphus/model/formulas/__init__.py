"""The measured rules, each written once over the algebra."""
