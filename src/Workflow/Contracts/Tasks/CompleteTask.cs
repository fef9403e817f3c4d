namespace Workflow.Contracts.Tasks;

/// <summary>Body of <c>POST /tasks/{id}/complete</c>.</summary>
public sealed record CompleteTask
{
    /// <summary>What came of it; any JSON. The step's <c>result</c> takes it.</summary>
    public JsonElement? Output { get; init; }
}
