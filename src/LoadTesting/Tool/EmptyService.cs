using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace LoadTesting.Tool;

/// <summary>
/// A web service that answers every request with the same two bytes: what is left to measure is the client. It runs in
/// a separate process of this program, so that client and service do not share thread pool and heap.
/// </summary>
internal static class EmptyService
{
    private const string Verb = "serve-empty";
    private const string Listening = "Listening on ";
    private static readonly byte[] s_answer = "ok"u8.ToArray();

    /// <summary>The verb that the child process is started with.</summary>
    public static Command Create(ToolConsole console)
    {
        var command = new Command(Verb, "Answers every request with two bytes until its input ends.") { Hidden = true };
        command.SetAction(async (_, cancellationToken) =>
        {
            await ServeAsync(console, cancellationToken).ConfigureAwait(false);
            return ExitCode.Success;
        });
        return command;
    }

    /// <summary>Starts it on a free port of this machine and waits until it listens.</summary>
    /// <exception cref="IOException">It does not start; the message holds what it wrote.</exception>
    public static async Task<EmptyServiceProcess> StartAsync(CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo(DotnetHost(), [Assembly.GetExecutingAssembly().Location, Verb])
        {
            // It ends with its input, so that a kill of this process leaves nothing behind.
            RedirectStandardInput = true, RedirectStandardOutput = true,
        };
        var process = Process.Start(start)!;
        try
        {
            var line = await process.StandardOutput.ReadLineAsync(cancellationToken).ConfigureAwait(false);
            return line?.StartsWith(Listening, StringComparison.Ordinal) == true
                ? new EmptyServiceProcess(process, new Uri(line[Listening.Length..]))
                : throw new IOException($"The empty web service did not start; it wrote: {line}");
        }
        catch
        {
            process.Kill();
            process.Dispose();
            throw;
        }
    }

    private static async Task ServeAsync(ToolConsole console, CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        var service = builder.Build();
        await using var stop = service.ConfigureAwait(false);
        service.Run(AnswerAsync);
        await service.StartAsync(cancellationToken).ConfigureAwait(false);
        await console.Out.WriteLineAsync(Listening + service.Urls.Single()).ConfigureAwait(false);
        while (await Console.In.ReadLineAsync(cancellationToken).ConfigureAwait(false) is not null)
        {
            // Only the end of the input matters.
        }

        await service.StopAsync(cancellationToken).ConfigureAwait(false);
    }

    private static Task AnswerAsync(HttpContext context)
    {
        context.Response.ContentLength = s_answer.Length;
        return context.Response.Body.WriteAsync(s_answer, 0, s_answer.Length);
    }

    /// <summary>The host of this very runtime: shared/Microsoft.NETCore.App/10.0.x is three levels below it.</summary>
    internal static string DotnetHost()
    {
        var root = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        var host = Path.Combine(root, OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet");
        return File.Exists(host) ? host : "dotnet";
    }
}

/// <summary>The running service.</summary>
internal sealed class EmptyServiceProcess(Process process, Uri address) : IAsyncDisposable
{
    public Uri Address => address;

    public int Id => process.Id;

    /// <summary>Ends its input, and it; after ten seconds by force.</summary>
    public async ValueTask DisposeAsync()
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(10));
        process.StandardInput.Close();
        try
        {
            await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
        }

        process.Dispose();
    }
}
