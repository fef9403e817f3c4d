using Workflow.Abstractions.Activities;

namespace Workflow.WebService.Activities;

/// <summary><c>echo</c>: its result is its input.</summary>
internal static class EchoActivity
{
    public const string Name = "echo";

    public static Activity Create() =>
        new() { Name = Name, Inline = true, InvokeAsync = static (input, _) => ValueTask.FromResult(input) };
}
