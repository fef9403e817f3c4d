using Workflow.Abstractions;
using Workflow.Contracts;
using Workflow.Contracts.Cluster;
using Workflow.Engine;

namespace Workflow.WebService.Endpoints;

/// <summary>Tells a client that sends to owners that another node has the partition, and where that node is.</summary>
internal sealed class OwnerMiddleware(RequestDelegate next, IWorkflowEngine engine)
{
    public Task InvokeAsync(HttpContext context)
    {
        if (context.Request.Headers.TryGetValue(ContractsHttp.PartitionHeader, out var asked)
            && short.TryParse(asked, NumberStyles.None, CultureInfo.InvariantCulture, out var partition)
            && partition < Partitions.Count && (engine as WorkflowEngine)?.OwnerElsewhere(partition) is { } owner)
        {
            context.Response.Headers[ContractsHttp.OwnerHeader] = $"{owner.Address}";
        }

        return next(context);
    }
}
