using Workflow.Abstractions.Activities;

namespace Workflow.WebService.Activities;

/// <summary><c>echo</c>: its result is its input.</summary>
internal static class EchoActivity
{
    public static Activity Create() => new() { Name = "echo", Inline = true, InvokeAsync = static (input, _) => ValueTask.FromResult(input) };
}
