using System.Runtime.InteropServices;

namespace PerformanceTesting.Subjects;

/// <summary>One run of the service, from its start to its exit.</summary>
internal sealed class ServiceProcess : IDisposable
{
    private const string ListeningPrefix = "Now listening on: ";

    // What the test run's own surroundings may set and what a test must not depend on.
    private static readonly string[] Foreign =
    [
        "ASPNETCORE_URLS", "DOTNET_URLS", "URLS", "ASPNETCORE_HTTP_PORTS", "ASPNETCORE_HTTPS_PORTS",
        "ASPNETCORE_ENVIRONMENT",
        "DOTNET_ENVIRONMENT",
    ];

    private readonly Process _process;
    private readonly OutputTail _output = new();
    private readonly TaskCompletionSource<Uri> _listening = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServiceProcess(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, e) => Take(e.Data);
        process.ErrorDataReceived += (_, e) => Take(e.Data);
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    public int ExitCode => _process.ExitCode;

    public string Output => _output.ToString();

    public static ServiceProcess Start(WebServiceOptions options, string url)
    {
        var assembly = Path.Combine(AppContext.BaseDirectory, options.Assembly);
        if (!File.Exists(assembly))
        {
            throw new WebServiceException(
                $"{assembly} is not there. Refer to its project from the test project, "
                    + "so that it is built and copied.");
        }

        // Standard input stays open as long as this process lives, and the service ends with it: also after a kill,
        // nothing is left behind.
        var command = OwnSession.Of(DotnetHost(), assembly, "--urls", url);
        var info = new ProcessStartInfo(command[0], command.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        foreach (var name in Foreign)
        {
            info.Environment.Remove(name);
        }

        foreach (var (name, value) in options.Environment())
        {
            info.Environment[name] = value;
        }

        var service = new ServiceProcess(new Process { StartInfo = info });
        service._process.Start();
        service._process.BeginOutputReadLine();
        service._process.BeginErrorReadLine();
        return service;
    }

    /// <summary>The address once the service listens.</summary>
    public async Task<Uri> ListeningAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(limit);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        var exited = _process.WaitForExitAsync(either.Token);
        if (await Task.WhenAny(_listening.Task, exited) == _listening.Task)
        {
            return await _listening.Task;
        }

        cancellationToken.ThrowIfCancellationRequested();
        throw new WebServiceException(deadline.IsCancellationRequested
            ? $"The web service did not listen within {limit.TotalSeconds} s. Its output:{Environment.NewLine}{Output}"
            : $"The web service ended with exit code {ExitCode} instead of listening. Its output:{Environment.NewLine}{Output}");
    }

    /// <summary>As the operating system kills: nothing of the process runs any more.</summary>
    public void Kill() => _process.Kill();

    /// <summary>Asks for an orderly stop by ending its input.</summary>
    public void CloseInput() => _process.StandardInput.Close();

    public async Task ExitedAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(limit);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        try
        {
            await _process.WaitForExitAsync(either.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new WebServiceException(
                $"The web service did not end within {limit.TotalSeconds} s. Its output:{Environment.NewLine}{Output}");
        }
    }

    public void Dispose() => _process.Dispose();

    private void Take(string? line)
    {
        if (line is null)
        {
            return;
        }

        _output.Add(line);
        if (line.StartsWith(ListeningPrefix, StringComparison.Ordinal))
        {
            _listening.TrySetResult(new Uri(line[ListeningPrefix.Length..]));
        }
    }

    /// <summary>The host of this very runtime: shared/Microsoft.NETCore.App/10.0.x is three levels below it.</summary>
    private static string DotnetHost()
    {
        var root = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        var host = Path.Combine(root, OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet");
        return File.Exists(host) ? host : "dotnet";
    }
}
