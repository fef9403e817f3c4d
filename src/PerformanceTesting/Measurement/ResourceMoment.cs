using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>What was used from the start until a moment, by whom.</summary>
/// <param name="Usage">The moment, with the machine and the system's own sums.</param>
/// <param name="Service">The service's processes together; the generator's in process.</param>
/// <param name="Generator">The generator, where it is another process.</param>
/// <param name="Database">The backend's processes.</param>
public sealed record ResourceMoment(
    UsageMoment Usage, ProcessUsage? Service, ProcessUsage? Generator = null, ProcessUsage? Database = null);
