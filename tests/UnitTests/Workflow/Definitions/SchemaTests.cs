using Json.Schema;

namespace UnitTests.Workflow.Definitions;

/// <summary>The published JSON Schema and the compiler's table say the same.</summary>
public sealed class SchemaTests
{
    private static readonly JsonElement Schema =
        JsonDocument.Parse(Fixtures.Read("schema", "definition.schema.json")).RootElement;
    private static readonly JsonSchema Rules = JsonSchema.Build(Schema);

    private static readonly Dictionary<MemberKind, string> References = new()
    {
        [MemberKind.Name] = "name",
        [MemberKind.Activity] = "name",
        [MemberKind.Event] = "name",
        [MemberKind.Variable] = "variable",
        [MemberKind.Next] = "stepId",
        [MemberKind.Error] = "stepId",
        [MemberKind.Inside] = "stepId",
        [MemberKind.Join] = "stepId",
        [MemberKind.Count] = "count",
        [MemberKind.Duration] = "duration",
        [MemberKind.Template] = "template",
        [MemberKind.TextTemplate] = "text",
        [MemberKind.KeyTemplate] = "text",
        [MemberKind.PersonTemplate] = "text",
        [MemberKind.CodeTemplate] = "text",
        [MemberKind.Boundary] = "boundary",
        [MemberKind.Retry] = "retryPolicy",
        [MemberKind.Label] = "title",
        [MemberKind.Prose] = "documentation",
        [MemberKind.Origin] = "source",
        [MemberKind.Layout] = "layout",
    };

    public static TheoryData<string> StepTypes => [.. DefinitionMembers.StepTypes.Keys];

    public static TheoryData<string> Definitions =>
        [.. Directory.GetFiles(Path.Combine(Fixtures.Folder, "definitions"), "*.json")
            .Select(file => Path.GetFileName(file)!)];

    [Fact]
    public void It_lists_exactly_the_step_types_of_the_compiler()
    {
        var listed =
            Schema.GetProperty("$defs").GetProperty("step").GetProperty("oneOf").EnumerateArray().Select(Reference);

        Assert.Equal(
            DefinitionMembers.StepTypes.Keys.Order(StringComparer.Ordinal), listed.Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(StepTypes))]
    public void A_step_type_has_the_same_members(string name)
    {
        var type = DefinitionMembers.StepTypes[name];
        var schema = Schema.GetProperty("$defs").GetProperty(name);

        Agree(schema, [new Member("type", MemberKind.StepType, true), .. type.Members, .. DefinitionMembers.Metadata]);
        Assert.Equal(name, schema.GetProperty("properties").GetProperty("type").GetProperty("const").GetString());
        Assert.Equal(type.Has("timeout"), schema.TryGetProperty("dependentRequired", out _));
        Assert.Equal(type.Has("timeout"), type.Has("onTimeout"));
    }

    [Fact]
    public void Schema_has_the_members_of_the_types()
    {
        Agree(Schema, DefinitionMembers.Definition);
        Agree(Schema.GetProperty("$defs").GetProperty("case"), DefinitionMembers.Case);
        Agree(Schema.GetProperty("$defs").GetProperty("retryPolicy"), DefinitionMembers.RetryPolicy);
        Agree(Schema.GetProperty("$defs").GetProperty("source"), DefinitionMembers.Source);
        Agree(Schema.GetProperty("$defs").GetProperty("startSignal"), DefinitionMembers.StartSignal);
        Agree(Schema.GetProperty("$defs").GetProperty("event"), DefinitionMembers.WaitEvent);
        Agree(Schema.GetProperty("$defs").GetProperty("boundaryEvent"), DefinitionMembers.BoundaryEvent);
    }

    [Fact]
    public void It_has_the_limits_of_the_compiler() =>
        Assert.Equal(
            (DefinitionCompiler.MaxSteps, StoreLimits.MaxTitle, StoreLimits.MaxDocumentation),
            (Schema.GetProperty("properties").GetProperty("steps").GetProperty("maxProperties").GetInt32(),
                Longest("title"), Longest("documentation")));

    [Fact]
    public void Each_group_is_a_text_as_an_assignee_is()
    {
        var groups = Schema.GetProperty("$defs").GetProperty("task").GetProperty("properties").GetProperty("groups");

        Assert.Equal((StoreLimits.MaxGroups, References[MemberKind.PersonTemplate]),
            (groups.GetProperty("maxItems").GetInt32(), Reference(groups.GetProperty("items"))));
    }

    [Theory]
    [MemberData(nameof(Definitions))]
    public void A_fixture_compiles_and_follows_the_schema(string file)
    {
        var json = Fixtures.Read("definitions", file);
        _ = Compile.Good(DefinitionCompiler.Compile(json, new DefinitionRules()));

        using var document = JsonDocument.Parse(json);
        var results = Rules.Evaluate(document.RootElement, new EvaluationOptions { OutputFormat = OutputFormat.List });

        Assert.True(results.IsValid, JsonSerializer.Serialize(results));
    }

    private static void Agree(JsonElement schema, IReadOnlyList<Member> members)
    {
        var properties = schema.GetProperty("properties");
        Assert.Equal(Sorted(members.Select(member => member.Name)),
            Sorted(properties.EnumerateObject().Select(member => member.Name)));
        Assert.Equal(
            Sorted(members.Where(member => member.Required).Select(member => member.Name)),
            Sorted(schema.GetProperty("required").EnumerateArray().Select(name => name.GetString()!)));
        Assert.False(schema.GetProperty("additionalProperties").GetBoolean());
        foreach (var member in members.Where(member => References.ContainsKey(member.Kind)))
        {
            Assert.Equal(References[member.Kind], Reference(properties.GetProperty(member.Name)));
        }
    }

    private static int Longest(string name) =>
        Schema.GetProperty("$defs").GetProperty(name).GetProperty("maxLength").GetInt32();

    private static string Reference(JsonElement schema) =>
        schema.GetProperty("$ref").GetString()!.Replace("#/$defs/", "", StringComparison.Ordinal);

    private static IEnumerable<string> Sorted(IEnumerable<string> names) => names.Order(StringComparer.Ordinal);
}
