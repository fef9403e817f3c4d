using System.Runtime;

namespace PerformanceTesting.Measurement;

/// <summary>
/// When a process is warm: once it spends hardly any of its processor time in the just-in-time compiler. At first that
/// is half of it, and on a busy machine it takes long to get through; a fixed number of seconds or operations would
/// measure the compiler.
/// </summary>
public static class WarmUpRule
{
    private const double LargestShare = 0.05;

    /// <summary>Load between two looks.</summary>
    public static TimeSpan Slice { get; } = TimeSpan.FromSeconds(1);

    private static TimeSpan Longest { get; } = TimeSpan.FromSeconds(60);

    /// <summary>Brings a load again and again until this process is warm.</summary>
    /// <param name="loadAsync">Brings it once, however long that takes.</param>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 slices of load.</exception>
    public static Task RepeatAsync(Func<Task> loadAsync) => RepeatAsync(ReadOwnAsync, loadAsync);

    /// <summary>Brings a load again and again until a process is warm.</summary>
    /// <param name="readAsync">
    /// The processor time and the compilation time that the process has used since its start.
    /// </param>
    /// <param name="loadAsync">Brings it once, however long that takes.</param>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 slices of load.</exception>
    public static Task RepeatAsync(
        Func<Task<(TimeSpan Processor, TimeSpan Compilation)>> readAsync, Func<Task> loadAsync) =>
        RunAsync(readAsync, async () =>
        {
            var began = Stopwatch.GetTimestamp();
            do
            {
                await loadAsync();
            }
            while (Stopwatch.GetElapsedTime(began) < Slice);
        });

    /// <summary>Loads in slices until this process is warm.</summary>
    /// <param name="loadAsync">Loads for one slice.</param>
    /// <returns>How long it took.</returns>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 s of load.</exception>
    public static Task<TimeSpan> RunAsync(Func<Task> loadAsync) => RunAsync(ReadOwnAsync, loadAsync);

    /// <summary>Loads in slices until a process is warm.</summary>
    /// <param name="readAsync">
    /// The processor time and the compilation time that the process has used since its start.
    /// </param>
    /// <param name="loadAsync">Loads for one slice.</param>
    /// <returns>How long it took.</returns>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 s of load.</exception>
    public static async Task<TimeSpan> RunAsync(
        Func<Task<(TimeSpan Processor, TimeSpan Compilation)>> readAsync, Func<Task> loadAsync)
    {
        var (processor, compilation) = await readAsync();
        var share = 1.0;
        for (var took = Slice; took <= Longest; took += Slice)
        {
            await loadAsync();
            var (processorNow, compilationNow) = await readAsync();
            share = (compilationNow - compilation) / (processorNow - processor);
            if (share <= LargestShare)
            {
                return took;
            }

            (processor, compilation) = (processorNow, compilationNow);
        }

        throw new InvalidOperationException($"After {Longest.TotalSeconds} s of load {share:P0} of the processor time "
            + "still goes to the just-in-time compiler, so there is no rate. Repeat on a quieter machine.");
    }

    private static Task<(TimeSpan Processor, TimeSpan Compilation)> ReadOwnAsync() =>
        Task.FromResult((Environment.CpuUsage.TotalTime, JitInfo.GetCompilationTime()));
}
