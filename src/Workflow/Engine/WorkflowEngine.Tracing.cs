using Workflow.Abstractions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Engine.Diagnostics;

namespace Workflow.Engine;

/// <content>Commands within a span, where somebody wants spans.</content>
public sealed partial class WorkflowEngine
{
    private async Task<InstanceStarted> TracedStartAsync(StartCommand command, CancellationToken cancellationToken)
    {
        using var span = Tracing.Start(command);
        try
        {
            var started = await StartUntracedAsync(command, cancellationToken);
            span?.SetTag("workflow.instance.id", started.Id);
            return started;
        }
        catch (Exception e)
        {
            span.Fail(e);
            throw;
        }
    }

    private async Task<SignalAccepted> TracedSignalAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        using var span = Tracing.Signal(command);
        try
        {
            var accepted = await SignalUntracedAsync(command, cancellationToken);
            span?.SetTag("workflow.signal.id", accepted.Id).SetTag("workflow.signal.delivered", accepted.Delivered);
            return accepted;
        }
        catch (Exception e)
        {
            span.Fail(e);
            throw;
        }
    }
}
