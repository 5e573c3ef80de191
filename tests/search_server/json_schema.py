"""Checks values against the schemas of an OpenAPI 3.1 description, and makes values of them."""

# Texts that have broken programs before.
NASTY = ["<script>alert(1)</script>", "a&b \"c\" 'd'", "../../etc/passwd", "%00%ff", "naïve Ωmega 漢字",
         "\u202egnp.exe", "a\nb\tc", "x" * 200, "{\"a\":1}", "AND OR NOT", "\"unbalanced", "tag:", "*",
         "a*", "((((", "1..2", "-1", "NaN", "null", "💥"]

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


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

    def faults(self, value, schema, place=""):
        """What is wrong with a value, as sentences."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            tried = [self.faults(value, each, place) for each in schema["anyOf"]]
            return [] if [] in tried else tried[0]
        types = schema.get("type", [])
        types = types if isinstance(types, list) else [types]
        if types and not any(TYPES[t](value) for t in types):
            return ["%s: expected %s, found %r" % (place, types, value)]
        if "enum" in schema and value not in schema["enum"]:
            return ["%s: %r is none of %s" % (place, value, schema["enum"])]
        if TYPES["number"](value) and not (
                schema.get("minimum", value) <= value <= schema.get("maximum", value)):
            return ["%s: %r is out of range" % (place, value)]
        if isinstance(value, dict):
            return self.object_faults(value, schema, place)
        if isinstance(value, list):
            return [fault for i, element in enumerate(value)
                    for fault in self.faults(element, schema.get("items", {}), "%s[%d]" % (place, i))]
        return []

    def object_faults(self, value, schema, place):
        faults = ["%s: '%s' is missing" % (place, name)
                  for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties", True)
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, others)
            if inner is False:
                faults.append("%s: '%s' is not described" % (place, name))
            elif inner is not True:
                faults += self.faults(member, inner, "%s.%s" % (place, name))
        return faults

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
