using Workflow.Contracts;

namespace Workflow.Engine.DeadLetters;

/// <summary>The content of a new dead letter.</summary>
/// <param name="SubjectId">The id of the signal, wait or message.</param>
/// <param name="Payload">The work, which is stored as JSON.</param>
/// <param name="DueUtc">Identifies the timer of the wait; null unless the work is a timer.</param>
internal sealed record DeadLetterDraft(
    DeadLetterKind Kind, short Partition, Guid SubjectId, Guid? InstanceId, object Payload,
    DateTimeOffset? DueUtc = null)
{
    public string PayloadJson => JsonSerializer.Serialize(Payload, ContractsJson.Default);

    public static T Read<T>(string payload) =>
        JsonSerializer.Deserialize<T>(payload, ContractsJson.Default)!;
}
