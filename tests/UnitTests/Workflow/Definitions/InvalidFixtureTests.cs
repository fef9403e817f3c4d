namespace UnitTests.Workflow.Definitions;

/// <summary>Every file of <c>fixtures/definitions/invalid</c> is refused with its one error and path.</summary>
public sealed class InvalidFixtureTests
{
    public static TheoryData<string, string, string> Expected => new()
    {
        { "not-json", "", "not JSON at line 5, column 3" },
        { "unknown-step-type", "steps.first.type",
            "Unknown step type 'sett'. Did you mean 'set'? Known are: call, callEach, decide" },
        { "dangling-next", "steps.first.next", "Step 'first' leads to 'dine', which is no step; did you mean 'done'?" },
        { "unreachable-step", "steps.lonely", "Step 'lonely' is unreachable from the start step 'first'" },
        { "expression-error", "steps.route.cases[0].when", "found '>'" },
        { "unknown-function", "steps.first.values.a", "Unknown function 'uper'. Did you mean 'upper'?" },
        {
            "unknown-activity", "steps.first.activity",
            "Unknown activity 'teleport'. Register it with the engine; registered are: echo, http."
        },
        { "negative-delay", "steps.first.duration", "The duration '-PT5S' is negative" },
        { "ambiguous-delay", "steps.first.duration", "The duration 'P1M' has years or months" },
        { "branch-leaves-fork", "steps.both.next",
            "Step 'after' is reached here outside every fork, and elsewhere inside fork 'split'" },
        {
            "join-from-outside", "steps.route.otherwise",
            "Join 'both' waits for the branches of fork 'split', but is reached here outside every fork"
        },
        { "endless-branch", "steps.right", "never gets to its join 'both'" },
        { "timeout-without-step", "steps.wait", "'timeout' is given without 'onTimeout'" },
        { "reserved-event", "steps.tell.event", "The event type 'InstanceCompleted' is raised by the engine itself" },
        { "step-given-twice", "steps.done", "'done' is given twice" },
        { "unknown-member", "steps.done.outptu", "has no member 'outptu'. Did you mean 'output'?" },
    };

    [Theory]
    [MemberData(nameof(Expected))]
    public void It_is_refused_with_one_error(string name, string path, string message)
    {
        var compilation =
            DefinitionCompiler.Compile(Fixtures.Read("definitions", "invalid", $"{name}.json"), Compile.Rules);

        Assert.Null(compilation.Definition);
        var error = Compile.OnlyError(compilation);
        Assert.Equal(path, error.Path);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_error_in_an_expression_has_its_column()
    {
        var compilation =
            DefinitionCompiler.Compile(Fixtures.Read("definitions", "invalid", "expression-error.json"), Compile.Rules);

        Assert.Equal(10, Compile.OnlyError(compilation).Column);
    }

    [Fact]
    public void All_errors_are_reported_together()
    {
        var compilation =
            DefinitionCompiler.Compile(Fixtures.Read("definitions", "invalid", "everything-wrong.json"), Compile.Rules);

        Assert.Equal(
            [
                "begin", "name", "start", "steps.first.next", "steps.first.values.a", "steps.first.values.if",
                "steps.first.values.if",
                "steps.second", "steps.second.correlation", "steps.second.next", "steps.second.signal",
                "steps.second.timeout",
                "steps.third.type", "version",
            ],
            compilation.Errors.Select(error => error.Path).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_file_is_covered()
    {
        var covered = Expected.Select(row => row.Data.Item1).Append("everything-wrong");
        var files =
            Directory.GetFiles(Path.Combine(Fixtures.Folder, "definitions", "invalid"), "*.json")
                .Select(Path.GetFileNameWithoutExtension);

        Assert.Equal(files.Order(StringComparer.Ordinal), covered.Order(StringComparer.Ordinal));
    }
}
