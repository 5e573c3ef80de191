"""Checks values against the schemas of an OpenAPI 3.1 description, and makes values of them."""
import random

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
    """The schemas of a description. Objects of answers may have no members but those described."""

    def __init__(self, description):
        self.description = description

    def resolve(self, node):
        while "$ref" in node:
            found = self.description
            for key in node["$ref"].lstrip("#/").split("/"):
                found = found[key]
            node = found
        return node

    def faults(self, value, schema, place="", closed=True):
        """What is wrong with a value, as sentences."""
        schema = self.resolve(schema)
        if "allOf" in schema:
            return self.faults(value, self.joined(schema["allOf"]), place, closed)
        if "oneOf" in schema:
            fits = [s for s in schema["oneOf"] if not self.faults(value, s, place, closed)]
            if len(fits) != 1:
                return ["%s: fits %d of oneOf: %r" % (place, len(fits), value)]
        types = schema.get("type", [])
        types = types if isinstance(types, list) else [types]
        if types and not any(TYPES[t](value) for t in types):
            return ["%s: expected %s, found %r" % (place, types, value)]
        return (self.range_faults(value, schema, place)
                + self.object_faults(value, schema, place, closed)
                + self.list_faults(value, schema, place, closed))

    def joined(self, schemas):
        """Objects whose members are those of all of them."""
        joined = {"type": "object", "properties": {}, "required": []}
        for schema in map(self.resolve, schemas):
            joined["properties"].update(schema["properties"])
            joined["required"] += schema.get("required", [])
        return joined

    @staticmethod
    def range_faults(value, schema, place):
        faults = []
        if "enum" in schema and value not in schema["enum"]:
            faults.append("%s: %r is none of %s" % (place, value, schema["enum"]))
        if "const" in schema and value != schema["const"]:
            faults.append("%s: %r is not %r" % (place, value, schema["const"]))
        if TYPES["number"](value):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                faults.append("%s: %r is out of range" % (place, value))
        if isinstance(value, str):
            if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
                faults.append("%s: %r has a wrong length" % (place, value))
        return faults

    def object_faults(self, value, schema, place, closed):
        if not isinstance(value, dict):
            return []
        faults = ["%s: '%s' is missing" % (place, name)
                  for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties", not (closed and "properties" in schema))
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name)
            if inner is None and others is False:
                faults.append("%s: '%s' is not described" % (place, name))
            elif inner is not None or isinstance(others, dict):
                faults += self.faults(member, inner or others, "%s.%s" % (place, name), closed)
        return faults

    def list_faults(self, value, schema, place, closed):
        if not isinstance(value, list):
            return []
        faults = []
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            faults.append("%s: %d elements" % (place, len(value)))
        for i, element in enumerate(value):
            faults += self.faults(element, schema.get("items", {}), "%s[%d]" % (place, i), closed)
        return faults

    def make(self, schema, draw, texts):
        """A value that fits; strings are drawn from `texts`."""
        schema = self.resolve(schema)
        if "enum" in schema:
            return draw.choice(schema["enum"])
        if "oneOf" in schema and "type" not in schema:
            return self.make(draw.choice(schema["oneOf"]), draw, texts)
        kind = schema.get("type", "string")
        if kind == "object":
            return self.make_object(schema, draw, texts)
        if kind == "array":
            count = draw.randint(schema.get("minItems", 0), min(3, schema.get("maxItems", 3)))
            return [self.make(schema.get("items", {}), draw, texts) for _ in range(count)]
        if kind == "string":
            text = draw.choice(texts)[:schema.get("maxLength", 10000)]
            return text if len(text) >= schema.get("minLength", 0) else "x"
        return self.make_number(kind, schema, draw)

    def make_object(self, schema, draw, texts):
        chosen = set(schema.get("required", []))
        if "oneOf" in schema:
            chosen |= set(draw.choice(schema["oneOf"])["required"])
            rivals = {name for s in schema["oneOf"] for name in s["required"]} - chosen
        else:
            rivals = set()
        members = schema.get("properties", {})
        chosen |= {name for name in members if name not in rivals and draw.random() < 0.4}
        if len(chosen) < schema.get("minProperties", 0):
            chosen.add(draw.choice(sorted(members)))
        return {name: self.make(members[name], draw, texts) for name in sorted(chosen)}

    @staticmethod
    def make_number(kind, schema, draw):
        if kind == "boolean":
            return draw.random() < 0.5
        least, most = schema.get("minimum", 0), schema.get("maximum", 1000)
        if draw.random() < 0.3:
            return draw.choice([least, most])
        if kind == "integer":
            return draw.randint(least, min(most, least + 50))
        return random.Random(draw.random()).uniform(least, most)
