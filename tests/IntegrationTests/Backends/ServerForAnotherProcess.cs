using System.Globalization;
using IntegrationTests.Backends;
using IntegrationTests.Shared.Backends;
using Xunit.Sdk;
using Xunit.v3;

[assembly: TestPipelineStartup(typeof(ServerForAnotherProcess))]

namespace IntegrationTests.Backends;

/// <summary>
/// Turns this executable into a process that only owns a server until it is killed, when the variable says so: what happens then can
/// be tested in another process only. Not an explicit test, because those are reported as skipped in every run.
/// </summary>
public sealed class ServerForAnotherProcess : ITestPipelineStartup
{
    /// <summary>Names the file that gets the server's directory and process id, a line each.</summary>
    public const string Variable = "WORKFLOW_TEST_OWNED_SERVER_NOTE";

    public async ValueTask StartAsync(IMessageSink diagnosticMessageSink)
    {
        if (Environment.GetEnvironmentVariable(Variable) is { } note)
        {
            var server = await NativePostgresServer.StartAsync(PostgresBinaries.Find()!, cancellationToken: CancellationToken.None);
            string[] lines = [server.DirectoryPath, server.ProcessId!.Value.ToString(CultureInfo.InvariantCulture)];
            await File.WriteAllLinesAsync(note, lines);
            await Task.Delay(Timeout.InfiniteTimeSpan);
        }
    }

    public ValueTask StopAsync() => ValueTask.CompletedTask;
}
