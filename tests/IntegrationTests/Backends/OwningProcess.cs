namespace IntegrationTests.Backends;

/// <summary>This executable as a second process that owns a server. Killed at the latest when disposed.</summary>
internal sealed class OwningProcess : IDisposable
{
    private readonly Process _process;
    private readonly string _note;

    private OwningProcess(Process process, string note)
    {
        _process = process;
        _note = note;
    }

    /// <summary>The note of the process about its server.</summary>
    public string[] Note { get; private set; } = [];

    /// <summary>Starts the process and waits until it has noted its server.</summary>
    /// <param name="variable">One of <see cref="ServerForAnotherProcess"/>.</param>
    /// <param name="lines">How many lines it notes.</param>
    public static async Task<OwningProcess> StartAsync(string variable, int lines, CancellationToken cancellationToken)
    {
        var note = Path.Combine(Path.GetTempPath(), $"owner-{Guid.NewGuid():N}");
        var start = new ProcessStartInfo(
            Environment.ProcessPath!, ServerForAnotherProcess.Arguments()) { RedirectStandardOutput = true };
        start.Environment[variable] = note;
        var owner = new OwningProcess(Process.Start(start)!, note);
        try
        {
            await Eventually.HoldsAsync(
                () => owner._process.HasExited || (File.Exists(note) && File.ReadAllLines(note).Length == lines),
                "the other process to start its server");
            Assert.False(owner._process.HasExited,
                owner._process.HasExited ? await owner._process.StandardOutput.ReadToEndAsync(cancellationToken) : "");
            owner.Note = await File.ReadAllLinesAsync(note, cancellationToken);
            return owner;
        }
        catch
        {
            owner.Dispose();
            throw;
        }
    }

    /// <summary>Kills it without a word, and waits until it is gone.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        _process.Kill();
        await _process.WaitForExitAsync(cancellationToken);
    }

    public static bool IsAlive(int id)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            return !process.HasExited;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
        File.Delete(_note);
    }
}
