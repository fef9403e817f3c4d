namespace LoadTesting.Tool.Doctor;

/// <summary>The profiles of a suite: its own executable is asked, as this tool knows none.</summary>
internal static class Profiles
{
    private const string Check = "Profiles";

    /// <summary>Where a checkout has its suite, once it is built.</summary>
    private static readonly string[] UsualPlace = ["tests", "PerformanceTests", "bin"];

    /// <summary>Asks a suite which profiles are available here.</summary>
    /// <param name="suite">Its assembly; the newest in the usual place when null.</param>
    /// <param name="timeout">How long to wait: servers are started to find out.</param>
    /// <param name="cancellationToken">Ends the wait and the suite.</param>
    public static async Task<IReadOnlyList<DoctorLine>> LookAsync(
        string? suite, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (suite is not null && !File.Exists(suite))
        {
            throw new FileNotFoundException($"--suite names {suite}, which does not exist.", suite);
        }

        if ((suite ?? FindSuite(Directory.GetCurrentDirectory())) is not { } assembly)
        {
            return [new(Check, DoctorState.Warning, "no suite to ask",
                "Build it (dotnet build tests/PerformanceTests) and run this from the checkout's root, "
                    + "or name it: --suite PATH.dll")];
        }

        var answer = Path.Combine(Path.GetTempPath(), $"profiles-{Guid.NewGuid():N}.json");
        try
        {
            var problem = await AskAsync(assembly, answer, timeout, cancellationToken).ConfigureAwait(false);
            return problem is null
                ? Judge(JsonSerializer.Deserialize<ProfileReport[]>(
                    await File.ReadAllTextAsync(answer, cancellationToken).ConfigureAwait(false),
                    JsonSerializerOptions.Web)!)
                : [new(Check, DoctorState.Failure, $"{assembly}: {problem}",
                    "Correct the value that it names; the README of the suite lists the variables.")];
        }
        finally
        {
            File.Delete(answer);
        }
    }

    internal static IReadOnlyList<DoctorLine> Judge(IReadOnlyList<ProfileReport> profiles) =>
    [
        .. profiles.Select(profile => new DoctorLine(
            $"Profile {profile.Profile}", profile.IsAvailable ? DoctorState.Ok : DoctorState.Warning, profile.Reason,
            profile.IsAvailable ? null : profile.Command ?? "Nothing does yet.")),
    ];

    internal static string? FindSuite(string root)
    {
        var bin = Path.Combine([root, .. UsualPlace]);
        return Directory.Exists(bin)
            ? Directory.EnumerateFiles(bin, "PerformanceTests.dll", SearchOption.AllDirectories)
                .OrderByDescending(File.GetLastWriteTimeUtc).FirstOrDefault()
            : null;
    }

    /// <returns>Null when it wrote its answer, else what happened.</returns>
    private static async Task<string?> AskAsync(
        string assembly, string answer, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo("dotnet",
            [assembly]) { RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true };
        start.Environment[ProfileReport.ListVariable] = answer;
        using var process = new Process { StartInfo = start };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        process.Start();
        process.StandardInput.Close();
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(limit.Token);
            var error = process.StandardError.ReadToEndAsync(limit.Token);
            await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
            var said = (await output.ConfigureAwait(false) + await error.ConfigureAwait(false)).Trim();
            return File.Exists(answer)
                ? null
                : string.Create(
                    CultureInfo.InvariantCulture, $"ended with code {process.ExitCode} and no answer: {said}");
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            cancellationToken.ThrowIfCancellationRequested();
            return string.Create(CultureInfo.InvariantCulture, $"no answer within {timeout.TotalSeconds} s");
        }
    }
}
