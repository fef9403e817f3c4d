namespace IntegrationTests.Shared.Conformance;

/// <summary>Definitions that several suites run.</summary>
internal static class Definitions
{
    /// <summary>Waits for <c>go</c> with the key in <c>id</c> and ends with its payload.</summary>
    public const string WaitForGo =
        """
        { "name": "waitForGo", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;

    /// <summary>The same twice over: the second output follows the first signal's.</summary>
    public const string WaitTwice =
        """
        { "name": "waitTwice", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "go", "correlation": "= id", "result": "one", "next": "second" },
          "second": { "type": "waitSignal", "signal": "go", "correlation": "= id", "result": "two", "next": "done" },
          "done": { "type": "end", "output": [ "= one", "= two" ] } } }
        """;

    /// <summary>Waits at most a minute for <c>go</c>, else ends with <c>late</c>.</summary>
    public const string WaitAMinute =
        """
        { "name": "waitAMinute", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "timeout": "PT1M", "onTimeout": "late", "result": "answer", "next": "done" },
          "late": { "type": "end", "output": "late" },
          "done": { "type": "end", "output": "= answer" } } }
        """;

    /// <summary>Waits for <c>go</c> sent to the instance alone: no key.</summary>
    public const string WaitById =
        """
        { "name": "waitById", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;

    /// <summary>Ends at once.</summary>
    public const string Empty =
        """
        { "name": "empty", "version": 1, "start": "done", "steps": { "done": { "type": "end" } } }
        """;
}
