using Xunit.v3;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// The outcome depends on real time, so that a busy machine can make the test fail. The pipeline starts several test
/// processes at once and repeats such a test alone before it counts the failure: the trait <c>Timing=real</c> selects
/// it.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class JudgesRealTimeAttribute : Attribute, ITraitAttribute
{
    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [new("Timing", "real")];
}
