using UnitTests.Workflow.Diagrams;
using Workflow.Abstractions.Building;

namespace UnitTests.Workflow.Building;

/// <summary>
/// Definition, code, compiler, definition. <c>UPDATE_CODE=1</c> in the environment writes the kept file anew; then look
/// at it.
/// </summary>
public sealed class DecompilerTests
{
    private const int Seeds = 500;

    public static TheoryData<string> Samples =>
        [.. Directory.GetFiles(Checkout.Fixture("definitions"), "*.json").Select(file => Path.GetFileName(file)!)];

    [Fact]
    public async Task Compiled_code_builds_the_same_definition()
    {
        List<WorkflowDefinition> definitions =
        [
            .. Enumerable.Range(0, Seeds).Select(seed => ArbitraryDefinitions.Make(seed)),
            .. SampleDiagram.All.Select(sample => sample.Definition),
            .. Directory.GetFiles(Checkout.Fixture("definitions"), "*.json").Select(file =>
                Compile.Good(DefinitionCompiler.Compile(File.ReadAllBytes(file), new DefinitionRules()))),
            GeneratedDefinitions.Make(7, 700, nests: true), Compile.Good(Compile.Json(Boxes(100))),
            Compile.Good(Compile.Json(Chain(900))), Compile.Good(Compile.Json(Nested(300))),
        ];

        var assembly = await CSharpCompiler.BuildAsync(
            [.. definitions.Select(
                (definition, i) =>
                    DefinitionDecompiler.Decompile(definition, new CodeOptions { ClassName = $"Case{i}" }))], Cancel);

        for (var i = 0; i < definitions.Count; i++)
        {
            var built =
                (WorkflowDefinition)assembly.GetType($"Definitions.Case{i}")!.GetMethod("Build")!.Invoke(null, null)!;
            Assert.True(built.CanonicalJson == definitions[i].CanonicalJson,
                $"Case {i}:\n{definitions[i].CanonicalJson}\nbecame\n{built.CanonicalJson}\nby\n{DefinitionDecompiler.Decompile(definitions[i])}");
        }
    }

    /// <summary>By the table of the compiler, so a new member must be generated and must survive.</summary>
    [Fact]
    public void Generated_definitions_have_every_member_of_every_step_type()
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (var definition in Enumerable.Range(0, Seeds).Select(seed => ArbitraryDefinitions.Make(seed)))
        {
            using var json = JsonDocument.Parse(definition.CanonicalJson);
            See("definition", json.RootElement);
            foreach (var step in json.RootElement.GetProperty("steps").EnumerateObject())
            {
                See(step.Value.GetProperty("type").GetString()!, step.Value);
            }
        }

        var known = DefinitionMembers.StepTypes.Values
            .SelectMany(
                type => type.Members.Concat(DefinitionMembers.Metadata).Select(member => $"{type.Name}.{member.Name}"))
            .Concat(DefinitionMembers.Definition.Where(member => member.Name != DefinitionMembers.Layout)
                .Select(member => $"definition.{member.Name}"))
            .Concat(DefinitionMembers.RetryPolicy.Select(member => $"retry.{member.Name}"))
            .Concat(DefinitionMembers.Source.Select(member => $"source.{member.Name}"))
            .Concat(DefinitionMembers.WaitEvent.Select(member => $"events.{member.Name}"))
            .Concat(DefinitionMembers.BoundaryEvent.Select(member => $"boundary.{member.Name}"))
            .Concat(DefinitionMembers.StartSignal.Select(member => $"startOn.{member.Name}"));
        Assert.Empty(known.Except(seen));

        void See(string owner, JsonElement element)
        {
            foreach (var member in element.EnumerateObject())
            {
                seen.Add($"{owner}.{member.Name}");
                if (member.Name is "retry" or "source" or "events" or "boundary" or "startOn")
                {
                    var isList = member.Value.ValueKind == JsonValueKind.Array;
                    foreach (var one in isList ? [.. member.Value.EnumerateArray()] : new[] { member.Value })
                    {
                        See(member.Name, one);
                    }
                }
            }
        }
    }

    /// <summary>Compiled with these tests, so every analyser of this repository checks it.</summary>
    [Fact]
    public void Code_of_the_order_is_the_kept_file()
    {
        var file = Path.Combine(Checkout.Root, "tests", "UnitTests", "Workflow", "Building", "OrderWorkflow.cs");
        var code = DefinitionDecompiler.Decompile(
            Fixtures.Read("definitions", "order.json"), new CodeOptions { Namespace = "UnitTests.Workflow.Building" });
        if (Environment.GetEnvironmentVariable("UPDATE_CODE") == "1")
        {
            File.WriteAllText(file, code);
        }

        Assert.True(
            File.ReadAllText(file)
                == code, $"OrderWorkflow.cs is not as kept. If the change is meant, run UPDATE_CODE=1 dotnet test "
            + $"tests/UnitTests --filter FullyQualifiedName~DecompilerTests, and read it. It would be:\n{code}");
    }

    [Fact]
    public void Kept_file_builds_the_order() =>
        Assert.Equal(
            Compile.Good(
                Compile.Json(Encoding.UTF8.GetString(Fixtures.Read("definitions", "order.json")))).CanonicalJson,
            OrderWorkflow.Build().CanonicalJson);

    [Theory]
    [InlineData("bulstrad-quote-or-apl-cancel.json")]
    [InlineData("bulstrad-quotation-confirm-convert-to-policy.json")]
    [InlineData("load-parallel.json")]
    public void Structured_definition_needs_no_jump(string file) =>
        Assert.DoesNotContain(
            ".GoTo(", DefinitionDecompiler.Decompile(Fixtures.Read("definitions", file)), StringComparison.Ordinal);

    [Fact]
    public void Sub_process_is_a_lambda_with_its_steps()
    {
        var code =
            DefinitionDecompiler.Decompile(SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition);

        Assert.True(
            Regex.IsMatch(
                code, """\.SubProcess\(\s*"check",\s+inside => inside\s+\.Task\("look", step => step\.Assignee\("= clerk"\)\)"""), code);
        Assert.Contains(".OnError(", code, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Samples))]
    public void Code_depends_on_nothing_but_the_content(string file)
    {
        var json = JsonNode.Parse(Fixtures.Read("definitions", file))!.AsObject();
        var steps = json["steps"]!.AsObject();
        json["steps"] =
            new JsonObject(steps.Reverse().Select(step => KeyValuePair.Create(step.Key, step.Value?.DeepClone())));

        Assert.Equal(DefinitionDecompiler.Decompile(Fixtures.Read("definitions", file)),
            DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(json.ToJsonString())));
    }

    [Fact]
    public void Text_becomes_the_plainest_literal()
    {
        (string Text, string Literal)[] expected =
        [
            ("plain", "\"plain\""), ("", "\"\""), ("say \"a\" twice", "\"\"\"say \"a\" twice\"\"\""),
            ("a\\b", "\"\"\"a\\b\"\"\""),
            ("\"quoted\"", "\"\\\"quoted\\\"\""), ("a \"\"\" b", "\"a \\\"\\\"\\\" b\""),
            ("a\r\n\t\0", "\"a\\r\\n\\t\\u0000\""),
            ("\u2028\u200b\u00a0", "\"\\u2028\\u200b\\u00a0\""), ("é 漢字 😀", "\"é 漢字 😀\""),
            ("\ud83d!", "\"\\ud83d!\""),
            ("\"\0", "\"\\\"\\u0000\""),
        ];

        Assert.Equal(expected.Select(one => one.Literal), expected.Select(one => CodeLiteral.Of(one.Text)));
        Assert.Equal(["ab\n", "cd ", "efgh", "😀x"], CodeLiteral.Pieces("ab\ncd efgh😀x", 5));
        Assert.Equal([""], CodeLiteral.Pieces("", 5));
    }

    [Theory]
    [InlineData("order", "OrderWorkflow")]
    [InlineData("quote-or_apl.cancel", "QuoteOrAplCancelWorkflow")]
    [InlineData("1st", "Definition1stWorkflow")]
    [InlineData("...", "DefinitionWorkflow")]
    public void Class_is_named_after_the_definition(string name, string expected) => Assert.Contains(
        $"public static class {expected}\n",
        DefinitionDecompiler.Decompile(new WorkflowBuilder(name, 1).Steps(flow => flow.End("done")).Build()),
        StringComparison.Ordinal);

    [Fact]
    public void Invalid_definition_is_refused_with_its_errors() => Assert.Contains("'next' is missing",
        Assert.Throws<DefinitionInvalidException>(() =>
            DefinitionDecompiler.Decompile(
                """{"name":"a","version":1,"start":"s","steps":{"s":{"type":"join"}}}"""u8.ToArray())).Message,
        StringComparison.Ordinal);

    private static string Chain(int length) => Definition(Enumerable.Range(0, length).Select(i =>
        string.Create(CultureInfo.InvariantCulture, $$"""
            "s{{i}}": { "type": "delay", "duration": "PT1S", "next": "{{(i + 1 < length ? $"s{i + 1}" : "done")}}" }
            """)));

    /// <summary>Decisions in decisions, all of which meet at the end.</summary>
    private static string Nested(int depth) => Definition(Enumerable.Range(0, depth).SelectMany(i => new[]
    {
        string.Create(CultureInfo.InvariantCulture, $$"""
            "s{{i}}": { "type": "decide", "cases": [ { "when": "= a", "next": "t{{i}}" } ], "otherwise": "done" }
            """),
        string.Create(CultureInfo.InvariantCulture, $$"""
            "t{{i}}": { "type": "delay", "duration": "PT1S", "next": "{{(i + 1 < depth ? $"s{i + 1}" : "done")}}" }
            """),
    }));

    /// <summary>Sub-processes in sub-processes.</summary>
    private static string Boxes(int depth) => Definition(Enumerable.Range(0, depth).SelectMany(i => new[]
    {
        string.Create(CultureInfo.InvariantCulture, $$"""
            "s{{i}}": { "type": "subProcess", "start": "{{(i + 1 < depth ? $"s{i + 1}" : $"e{i}")}}", "next": "{{(i == 0 ? "done" : $"e{i - 1}")}}" }
            """),
        string.Create(CultureInfo.InvariantCulture, $$"""
            "e{{i}}": { "type": "end" }
            """),
    }));

    private static string Definition(IEnumerable<string> steps) =>
        $$$"""{"name":"large","version":1,"start":"s0","steps":{ {{{string.Join(",", steps)}}}, "done": { "type": "end" } } }""";
}
