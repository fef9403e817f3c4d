namespace PerformanceTests.Findings;

/// <summary>Processes that use a processor each until they are disposed.</summary>
internal sealed class BusyProcesses : IDisposable
{
    private readonly List<Process> _running = [];

    public BusyProcesses(int count)
    {
        for (var i = 0; i < count; i++)
        {
            _running.Add(Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "while :; do :; done"]))
                ?? throw new InvalidOperationException("/bin/sh could not be started."));
        }
    }

    public void Dispose()
    {
        foreach (var process in _running)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
    }
}
