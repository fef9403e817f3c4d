namespace UnitTests.Workflow.Definitions;

/// <summary>Which texts are the same content.</summary>
public sealed class DefinitionContentTests
{
    private readonly WorkflowDefinition _order = Compile.Good(
        DefinitionCompiler.Compile(Fixtures.Read("definitions", "order.json"), Compile.Rules));

    [Fact]
    public void Formatting_does_not_change_the_hash()
    {
        var json = JsonNode.Parse(Fixtures.Read("definitions", "order.json"))!;
        var other = Reversed(json).ToJsonString(new JsonSerializerOptions { WriteIndented = true })
            .Replace("100\n", "1.00e2\n", StringComparison.Ordinal);
        Assert.Contains("1.00e2", other, StringComparison.Ordinal);

        var compiled = Compile.Good(Compile.Json(other));

        Assert.Equal(_order.CanonicalJson, compiled.CanonicalJson);
        Assert.Equal(_order.ContentHash, compiled.ContentHash);
        Assert.Matches("^[0-9a-f]{64}$", compiled.ContentHash);
    }

    [Fact]
    public void Other_content_changes_the_hash()
    {
        var text = Encoding.UTF8.GetString(Fixtures.Read("definitions", "order.json"));

        Assert.NotEqual(
            _order.ContentHash,
            Compile.Good(Compile.Json(text.Replace("too late", "too  late", StringComparison.Ordinal))).ContentHash);
    }

    [Fact]
    public void Metadata_is_part_of_the_content()
    {
        var named = Compile.Good(Compile.Json("""
            { "name": "test", "version": 1, "start": "s", "title": "= Überprüfung", "documentation": "Two\nlines.",
              "source": { "document": "order.bpmn", "element": "Process_1" }, "steps": {
                "s": { "type": "set", "values": {}, "next": "done", "title": "Nothing", "source": { "element": "Task_1", "line": 12 } },
                "done": { "type": "end", "documentation": "= 1 +" } } }
            """));
        var bare = Compile.Good(
            Compile.Steps(
                "s", """ "s": { "type": "set", "values": {}, "next": "done" }, "done": { "type": "end" } """));

        Assert.Equal(("= Überprüfung", "Two\nlines."), (named.Title, named.Documentation));
        Assert.Equal(new SourceLocation("order.bpmn", "Process_1"), named.Source);
        Assert.Equal(("Nothing", null, new SourceLocation(Element: "Task_1", Line: 12)),
            (named.Steps["s"].Title, named.Steps["s"].Documentation, named.Steps["s"].Source));
        Assert.Equal("= 1 +", named.Steps["done"].Documentation);
        Assert.Null(bare.Steps["s"].Source);
        Assert.NotEqual(bare.ContentHash, named.ContentHash);
        Assert.Equal(named.CanonicalJson, Compile.Good(Compile.Json(named.CanonicalJson)).CanonicalJson);
    }

    [Fact]
    public void Layout_is_kept_and_is_no_part_of_the_content()
    {
        var json = JsonNode.Parse(_order.Json)!;
        json["layout"] = JsonNode.Parse("""
            { "shapes": [ { "element": "a", "kind": "userTask", "bounds": [ -1, 2.5, 100, 80 ], "name": "Ask" } ],
              "flows": [ { "from": "a", "to": "b", "points": [ 0, 0, 1, 1 ] } ] }
            """);

        var drawn = Compile.Good(Compile.Json(json.ToJsonString()));

        Assert.Equal((_order.ContentHash, _order.CanonicalJson), (drawn.ContentHash, drawn.CanonicalJson));
        Assert.Equal([-1, 2.5, 100, 80], Assert.Single(drawn.Layout!.Shapes).Bounds);
        Assert.Equal("b", Assert.Single(drawn.Layout.Flows).To);
        Assert.Contains("\"name\":\"Ask\"", drawn.Json, StringComparison.Ordinal);
        Assert.Equal(drawn.Json, Compile.Good(Compile.Json(drawn.Json)).Json);
        Assert.Equal(_order.CanonicalJson, _order.Json);
    }

    [Theory]
    [InlineData("[]", "is an object")]
    [InlineData("""{ "shapes": [] }""", "missing")]
    [InlineData("""{ "shapes": [], "flows": [], "zoom": 2 }""", "unknown")]
    [InlineData("""{ "shapes": [ { "element": "a", "kind": "task", "bounds": [ 0, 0, 0, 1 ] } ], "flows": [] }""",
        "bounds of 'a'")]
    [InlineData("""{ "shapes": [ { "element": "a", "kind": "task", "bounds": [ 0, 1e7, 1, 1 ] } ], "flows": [] }""",
        "bounds of 'a'")]
    [InlineData("""
        { "shapes": [ { "element": "a", "kind": "task", "bounds": [ 0, 0, 1, 1 ] },
            { "element": "a", "kind": "task", "bounds": [ 0, 0, 1, 1 ] } ], "flows": [] }
        """, "two shapes of 'a'")]
    [InlineData(
        """{ "shapes": [], "flows": [ { "from": "a", "to": "b", "points": [ 0, 0, 1 ] } ] }""", "from 'a' to 'b'")]
    public void Layout_that_cannot_be_drawn_is_refused(string layout, string named)
    {
        var json = JsonNode.Parse(_order.Json)!;
        json["layout"] = JsonNode.Parse(layout);

        var error = Compile.OnlyError(Compile.Json(json.ToJsonString()));

        Assert.Equal("layout", error.Path);
        Assert.Contains(named, error.Message, StringComparison.Ordinal);
        Assert.Contains("Leave 'layout' out", error.Message, StringComparison.Ordinal);
    }

    private static JsonNode Reversed(JsonNode node) => node switch
    {
        JsonObject members =>
            new JsonObject(
                members.Reverse()
                    .Select(member => KeyValuePair.Create(member.Key, (JsonNode?)Reversed(member.Value!)))),
        JsonArray items => new JsonArray(items.Select(item => (JsonNode?)Reversed(item!)).ToArray()),
        _ => node.DeepClone(),
    };
}
