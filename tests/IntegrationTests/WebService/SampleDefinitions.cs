namespace IntegrationTests.WebService;

/// <summary>Definitions that the tests register, each under a different name.</summary>
internal static class SampleDefinitions
{
    public static string NewName(string prefix = "sample") => $"{prefix}-{Guid.NewGuid():N}";

    /// <summary>Registers a definition under a new name and returns the name.</summary>
    public static async Task<string> RegisterNewAsync(this WorkflowClient client, Func<string, string> definition)
    {
        var name = NewName();
        await client.RegisterDefinitionAsync(definition(name), Cancel);
        return name;
    }

    /// <summary>Runs to its end within the start.</summary>
    public static string Linear(string name, int version = 1, string total = "= price * quantity") => $$"""
        { "name": "{{name}}", "version": {{version}}, "start": "sum", "steps": {
          "sum": { "type": "set", "values": { "total": "{{total}}" }, "next": "done" },
          "done": { "type": "end", "output": { "total": "= total" } } } }
        """;

    /// <summary>Waits for the signal <c>resume</c>, raises an event, and ends with what it carried.</summary>
    public static string Waiting(string name) => $$"""
        { "name": "{{name}}", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "result": "answer", "next": "tell" },
          "tell": { "type": "raise", "event": "Resumed", "payload": { "key": "= key" }, "next": "done" },
          "done": { "type": "end", "output": { "answer": "= answer" } } } }
        """;

    /// <summary>A single step of the given JSON, reached from the start and followed by the end.</summary>
    public static string Step(string name, string step) => $$"""
        { "name": "{{name}}", "version": 1, "start": "step", "steps": { "step": {{step}}, "done": { "type": "end" } } }
        """;
}
