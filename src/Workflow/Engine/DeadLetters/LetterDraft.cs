using System.Text.Json;
using Workflow.Contracts;
using Workflow.Contracts.DeadLetters;

namespace Workflow.Engine.DeadLetters;

/// <summary>What a command becomes when it is put aside.</summary>
/// <param name="Kind">Kind of work.</param>
/// <param name="Partition">Partition of the work.</param>
/// <param name="SubjectId">Signal, wait or message.</param>
/// <param name="InstanceId">The instance, where one is named.</param>
/// <param name="Payload">The work; written as JSON.</param>
/// <param name="DueUtc">Of a timer: which of the wait's timers it is.</param>
internal sealed record LetterDraft(DeadLetterKind Kind, short Partition, Guid SubjectId, Guid? InstanceId, object Payload, DateTimeOffset? DueUtc = null)
{
    public string PayloadJson => JsonSerializer.Serialize(Payload, ContractsJson.Default);

    public static T Read<T>(string payload) =>
        JsonSerializer.Deserialize<T>(payload, ContractsJson.Default) ?? throw new JsonException("The payload of a dead letter is the JSON text null.");
}
