namespace Workflow.Engine.Instances;

/// <summary>
/// Raises the event of a stored definition, once for each version while idempotency keys are kept. The result is
/// whether this command raised the event.
/// </summary>
internal sealed class RegisteredLaneCommand(string definition, int version, string contentHash) : LaneCommand<bool>
{
    public override string Key { get; } = string.Create(
        CultureInfo.InvariantCulture, $"definition:{version}:{definition}");

    public override string Description => $"registration of version {version} of '{definition}'";

    public override void Apply(LaneState lane)
    {
        if (lane.Keys.Find(Key) is not null)
        {
            Succeed(false);
            return;
        }

        lane.Raise(trace: null, (id, stamps) => new DefinitionRegistered
        {
            Id = id,
            Definition = definition,
            DefinitionVersion = version,
            ContentHash = contentHash,
            Timestamps = stamps,
        });
        lane.AddKey(Key, contentHash, Guid.Empty);
        Succeed(true);
    }
}
