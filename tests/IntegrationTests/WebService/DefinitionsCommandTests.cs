using System.Text.RegularExpressions;
using Workflow.Abstractions.Building;
using Workflow.Bpmn;
using Workflow.WebService.Commands;

namespace IntegrationTests.WebService;

/// <summary><c>definitions check</c> and <c>definitions csharp</c> of the service's program.</summary>
public sealed class DefinitionsCommandTests : IDisposable
{
    private const string TwoProcesses = """
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
          <process id="one" isExecutable="true"><startEvent id="a" /><endEvent id="b" /><sequenceFlow id="f" sourceRef="a" targetRef="b" /></process>
          <process id="other" isExecutable="true"><startEvent id="c" /><endEvent id="d" /><sequenceFlow id="g" sourceRef="c" targetRef="d" /></process>
        </definitions>
        """;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("definitions-");
    private readonly StringWriter _output = new();
    private readonly StringWriter _errors = new();

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task Valid_files_are_named_with_their_definitions()
    {
        var (json, bpmn) = (Checkout.Fixture("definitions", "order.json"), Write("two.bpmn", TwoProcesses));

        Assert.Equal(0, await RunAsync("check", json, bpmn));

        Assert.Equal($"{json}: order: valid.{Environment.NewLine}{bpmn}: one, other: valid.{Environment.NewLine}",
            _output.ToString());
        Assert.All(_errors.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries), line =>
            Assert.Contains(": warning: ", line, StringComparison.Ordinal)); // The order calls another definition.
    }

    [Fact]
    public async Task Call_of_what_no_file_has_is_a_warning_with_line_and_column()
    {
        var caller = Write("a.json", """
            {
              "name": "a", "version": 1, "start": "s",
              "steps": { "s": { "type": "call", "definition": "one", "next": "t" },
                "t": { "type": "callEach", "count": 2, "definition": "gone", "onError": "u", "next": "u" }, "u": { "type": "end" } }
            }
            """);

        Assert.Equal(0, await RunAsync("check", caller, Write("two.bpmn", TwoProcesses)));

        var line = Assert.Single(_errors.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
        Assert.Matches($@"^{Regex.Escape(caller)}:4:\d+: warning: steps\.t\.definition: Step 't' calls definition 'gone', ", line);
        Assert.Contains("is in none of these files", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Errors_of_json_have_line_and_column()
    {
        var file = Write("a.json", """
            {
              "name": "a", "version": 1, "start": "s",
              "steps": {
                "s": { "type": "decide", "cases": [ { "when": "= 1 +", "next": "t" } ], "otherwise": "t" },
                "t": { "type": "invoke", "activity": "none", "next": "gone" }
              }
            }
            """);

        Assert.Equal(1, await RunAsync("check", file));

        var lines = _errors.ToString().Split(Environment.NewLine);
        Assert.Contains(
            lines, line => line.StartsWith($"{file}:4:43: steps.s.cases[0].when: ", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith($"{file}:5:30: steps.t.activity: ", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith($"{file}:5:50: steps.t.next: ", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("{\n  \"name\": }", ":2:11: ")]
    [InlineData("", ":1:1: ")]
    [InlineData("[]", ":1:1: ")]
    public async Task Text_that_is_not_a_definition_is_refused_at_its_place(string text, string place)
    {
        var file = Write("a.json", text);

        Assert.Equal(1, await RunAsync("check", file));

        Assert.StartsWith($"{file}{place}", _errors.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Errors_of_bpmn_have_line_and_column()
    {
        var file = Write("a.bpmn",
            TwoProcesses.Replace("<endEvent id=\"b\" />", "<complexGateway id=\"b\" />", StringComparison.Ordinal));

        Assert.Equal(1, await RunAsync("check", file));

        Assert.Matches($@"^{Regex.Escape(file)}:2:\d+: complexGateway 'b': ", _errors.ToString());
    }

    [Fact]
    public async Task Unknown_content_of_bpmn_is_an_error_or_listed()
    {
        var file = Write(
            "a.bpmn",
            TwoProcesses.Replace(
                "<endEvent id=\"b\" />", "<endEvent id=\"b\" v:color=\"red\" xmlns:v=\"urn:vendor\" />",
                StringComparison.Ordinal));

        Assert.Equal(1, await RunAsync("check", file));
        Assert.Equal(0, await RunAsync("check", "--unknown", "report", file));
        Assert.Equal(2, await RunAsync("check", "--unknown", "ignore", file));

        Assert.Matches($@"(?m)^{Regex.Escape(file)}:2:\d+: passed over: endEvent 'b': attribute 'color' of 'urn:vendor'$", _errors.ToString());
    }

    [Fact]
    public async Task Task_of_bpmn_that_does_nothing_is_a_warning()
    {
        var file = Write(
            "a.bpmn", TwoProcesses.Replace("<endEvent id=\"b\" />", "<task id=\"b\" />", StringComparison.Ordinal));

        Assert.Equal(0, await RunAsync("check", file));

        Assert.Matches($@"^{Regex.Escape(file)}:2:\d+: warning: task 'b': Nothing is done", _errors.ToString());
    }

    [Fact]
    public async Task One_file_with_errors_does_not_hide_the_others()
    {
        var (wrong, right) = (Write("a.json", "{}"), Checkout.Fixture("definitions", "order.json"));

        Assert.Equal(1, await RunAsync("check", wrong, right));

        Assert.Contains(": valid.", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Definition_is_written_as_the_code_that_builds_it()
    {
        var (json, bpmn) =
            (Checkout.Fixture("definitions", "order.json"), Checkout.Fixture("bpmn", "order-camunda8.bpmn"));
        var imported =
            BpmnImporter.Import(await File.ReadAllBytesAsync(bpmn, Cancel), cancellationToken: Cancel).Definitions[0];

        Assert.Equal((0, 0), (await RunAsync("csharp", json), await RunAsync("csharp", bpmn)));

        Assert.Equal(
            DefinitionDecompiler.Decompile(await File.ReadAllBytesAsync(json, Cancel))
                + DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(imported.Json)),
            _output.ToString());
    }

    [Fact]
    public async Task Text_in_other_encodings_is_read()
    {
        var json = await File.ReadAllTextAsync(Checkout.Fixture("definitions", "load-linear.json"), Cancel);
        var bpmn = await File.ReadAllTextAsync(Checkout.Fixture("bpmn", "order-camunda8.bpmn"), Cancel);
        await File.WriteAllTextAsync(
            PathOf("a"), json, new UTF8Encoding(encoderShouldEmitUTF8Identifier: true), Cancel);
        await File.WriteAllTextAsync(
            PathOf("b"), bpmn.Replace("UTF-8", "UTF-16", StringComparison.OrdinalIgnoreCase), Encoding.Unicode, Cancel);

        Assert.Equal((0, ""), (await RunAsync("check", PathOf("a"), PathOf("b")), _errors.ToString()));
    }

    [Fact]
    public async Task Process_is_chosen_by_its_id()
    {
        var file = Write("two.bpmn", TwoProcesses);

        Assert.Equal(2, await RunAsync("csharp", file));
        Assert.Equal(2, await RunAsync("csharp", file, "--process", "third"));
        Assert.Equal(0, await RunAsync("csharp", file, "--process", "other"));

        Assert.Contains("Choose one with --process: one, other.", _errors.ToString(), StringComparison.Ordinal);
        Assert.Contains("has no definition 'third'. It has: one, other.", _errors.ToString(), StringComparison.Ordinal);
        Assert.Contains("class OtherWorkflow", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_file_and_unknown_option_are_named()
    {
        Assert.Equal(2, await RunAsync("check", PathOf("none.json")));
        Assert.Equal(2, await RunAsync("check", "--strict", PathOf("none.json")));
        Assert.Equal(2, await RunAsync("check"));

        Assert.Contains("none.json", _errors.ToString(), StringComparison.Ordinal);
        Assert.Contains("--strict", _errors.ToString(), StringComparison.Ordinal);
    }

    private string PathOf(string name) => Path.Combine(_directory.FullName, name);

    private string Write(string name, string text)
    {
        File.WriteAllText(PathOf(name), text);
        return PathOf(name);
    }

    private Task<int> RunAsync(params string[] arguments) =>
        DefinitionsCommand.RunAsync([DefinitionsCommand.Name, .. arguments], _output, _errors);
}
