using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <param name="Process">Null where somebody else started it.</param>
internal sealed record ServiceNode(Uri BaseAddress, WorkflowClient Client, WebServiceProcess? Process)
    : IAsyncDisposable
{
    public ValueTask DisposeAsync()
    {
        if (Process is not null)
        {
            return Process.DisposeAsync();
        }

        Client.Dispose();
        return ValueTask.CompletedTask;
    }
}
