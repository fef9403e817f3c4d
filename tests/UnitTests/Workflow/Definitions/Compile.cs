namespace UnitTests.Workflow.Definitions;

/// <summary>Short ways to compile a definition.</summary>
internal static class Compile
{
    public static readonly DefinitionRules Rules = new()
    {
        Activities = new HashSet<string> { "echo", "http" },
        ReservedEvents = new HashSet<string> { "InstanceStarted", "InstanceCompleted" },
    };

    public static DefinitionCompilation Json(string json) =>
        DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(json), Rules);

    /// <summary>A definition of these steps that starts at the first.</summary>
    public static DefinitionCompilation Steps(string start, string steps) =>
        Json($$$"""{"name":"test","version":1,"start":"{{{start}}}","steps":{ {{{steps}}} } }""");

    public static WorkflowDefinition Good(DefinitionCompilation compilation) =>
        compilation.Definition
            ?? throw new InvalidOperationException(string.Join(Environment.NewLine, compilation.Errors));

    public static DefinitionError OnlyError(DefinitionCompilation compilation) =>
        Xunit.Assert.Single(compilation.Errors);
}
