"""Checks values against the schemas of an OpenAPI 3.1 description, and makes values of them."""
import jsonschema

# Texts that have broken programs before.
NASTY = ["<script>alert(1)</script>", "a&b \"c\" 'd'", "../../etc/passwd", "%00%ff", "naïve Ωmega 漢字",
         "\u202egnp.exe", "a\nb\tc", "x" * 200, "{\"a\":1}", "AND OR NOT", "\"unbalanced", "tag:", "*",
         "a*", "((((", "1..2", "-1", "NaN", "null", "💥"]


class Schemas:
    def __init__(self, description):
        self.description = description

    def resolve(self, node):
        while "$ref" in node:
            found = self.description
            for key in node["$ref"].lstrip("#/").split("/"):
                found = found[key]
            node = found
        return node

    def faults(self, value, schema):
        """What is wrong with a value, as sentences."""
        whole = {**schema, "components": self.description.get("components", {})}
        return ["%s: %s" % (fault.json_path, fault.message)
                for fault in jsonschema.Draft202012Validator(whole).iter_errors(value)]

    def make(self, schema, draw, texts):
        """A value that fits; strings are drawn from `texts`."""
        schema = self.resolve(schema)
        if "enum" in schema:
            return draw.choice(schema["enum"])
        kind = schema.get("type", "string")
        if kind == "object":
            members = schema.get("properties", {})
            return {name: self.make(member, draw, texts) for name, member in members.items()
                    if name in schema["required"] or draw.random() < 0.4}
        if kind == "array":
            return [self.make(schema["items"], draw, texts) for _ in range(draw.randint(1, 3))]
        if kind == "string":
            return draw.choice(texts)
        if kind == "boolean":
            return draw.random() < 0.5
        least, most = schema.get("minimum", 0), schema.get("maximum", 1000)
        if kind == "integer":
            return draw.choice([least, most, draw.randint(least, min(most, least + 50))])
        return draw.choice([least, most, draw.uniform(least, most)])
