using Foundation;

namespace LoadTesting.Tool.Doctor;

internal static class Examination
{
    private const string ClockSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    private const int ClockReadings = 200_000;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(3);

    public static async Task<IReadOnlyList<DoctorLine>> RunAsync(
        Func<string, string?> variable, CancellationToken cancellationToken)
    {
        var here = Directory.GetCurrentDirectory();
        var probe = await EnvironmentProbe.StartAsync(here, cancellationToken).ConfigureAwait(false);
        var environment = probe.Describe();
        return
        [
            MachineRules.Sdk(environment.Sdk),
            MachineRules.Cores(environment.Cores ?? Environment.ProcessorCount, environment.CpuLimitCores),
            PostgresPrograms.Judge(PostgresPrograms.Find(variable("PATH"))),
            await PostgresServer.LookAsync(variable(PostgresServer.Variable), Timeout, cancellationToken)
                .ConfigureAwait(false),
            await DockerEngine.LookAsync(variable, Timeout, cancellationToken).ConfigureAwait(false),
            MachineRules.OpenFiles(await TextAsync("/proc/self/limits", cancellationToken).ConfigureAwait(false)),
            MachineRules.Clock(await TextAsync(ClockSource, cancellationToken).ConfigureAwait(false), ClockReadNs()),
            .. Disks(here),
            MachineRules.ServerData(FileSystems.OfServers, new DriveInfo(FileSystems.OfServers).DriveFormat),
        ];
    }

    private static IEnumerable<DoctorLine> Disks(string here) =>
        new[] { here, FileSystems.OfServers }.Distinct()
            .Select(path => MachineRules.Disk(path, new DriveInfo(path).AvailableFreeSpace));

    private static async Task<string?> TextAsync(string path, CancellationToken cancellationToken) =>
        File.Exists(path) ? (await File.ReadAllTextAsync(path, cancellationToken).ConfigureAwait(false)).Trim() : null;

    private static double ClockReadNs()
    {
        var begun = Stopwatch.GetTimestamp();
        var last = begun;
        for (var reading = 0; reading < ClockReadings; reading++)
        {
            last = Stopwatch.GetTimestamp();
        }

        return Stopwatch.GetElapsedTime(begun, last).TotalNanoseconds / ClockReadings;
    }
}
