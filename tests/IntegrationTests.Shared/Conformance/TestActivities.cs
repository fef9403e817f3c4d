using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Activities that the suites invoke.</summary>
internal static class TestActivities
{
    /// <summary>Inline: twice its input.</summary>
    public static Activity Double { get; } =
        new() { Name = "double", Inline = true, InvokeAsync = (input, _) => new(Value.From(input.AsNumber() * 2)) };

    /// <summary>Beside the lane: its input, after other threads had a turn.</summary>
    public static Activity Echo { get; } = new()
    {
        Name = "echo",
        InvokeAsync = async (input, _) =>
        {
            await Task.Yield();
            return input;
        },
    };

    /// <summary>Beside the lane: an exception.</summary>
    public static Activity Broken { get; } = new()
    {
        Name = "broken",
        InvokeAsync = async (_, _) =>
        {
            await Task.Yield();
            throw new InvalidOperationException("the far side is closed");
        },
    };

    /// <summary>Calls what the test says.</summary>
    public static Activity Of(
        string name, Func<Value, CancellationToken, ValueTask<Value>> call, bool inline = false) =>
        new() { Name = name, Inline = inline, InvokeAsync = call };
}
