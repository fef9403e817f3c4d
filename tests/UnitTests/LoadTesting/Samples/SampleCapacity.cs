using LoadTesting.Core.Analysis.Capacity;

namespace UnitTests.LoadTesting.Samples;

/// <summary>A search that found its limit, and one whose generator gave in.</summary>
internal static class SampleCapacity
{
    public static IReadOnlyList<CapacityResult> All { get; } =
    [
        Search("postgres-signal-roundtrip-capacity-search", "postgres", new ModelTarget(3_400)
        {
            Demands = [new("service CPU", 0.00042, 2), new("database CPU", 0.00021, 2), new("WAL flush", 0.00027, 1)],
            Waits = [new("IO:WALSync", 0.61), new("CPU", 0.2)],
        }),
        Search("memory-signal-roundtrip-capacity-search", "memory",
            new ModelTarget(20_000) { GeneratorCapacity = 9_000 }),
    ];

    private static CapacityResult Search(string name, string profile, ModelTarget target) =>
        // Nothing waits: the target is a formula.
        new CapacitySearch(new CapacityOptions { Unit = "workflows" })
            .RunAsync(target, name, profile, HostingKind.InProcess).GetAwaiter().GetResult();
}
