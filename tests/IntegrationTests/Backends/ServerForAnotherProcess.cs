using Xunit.Sdk;
using Xunit.v3;

[assembly: TestPipelineStartup(typeof(ServerForAnotherProcess))]

namespace IntegrationTests.Backends;

/// <summary>
/// Turns this executable into a process that only owns a server until it is killed, or looks for an engine, when a
/// variable says so: what happens then can be tested in another process only. Not an explicit test, because those are
/// reported as skipped in every run.
/// </summary>
public sealed class ServerForAnotherProcess : ITestPipelineStartup
{
    /// <summary>Names the file that gets the server's directory and process id, a line each.</summary>
    public const string Variable = "WORKFLOW_TEST_OWNED_SERVER_NOTE";

    /// <summary>Names the file for a broker's directory, its process id and that of its port mapper.</summary>
    public const string BrokerVariable = "WORKFLOW_TEST_OWNED_BROKER_NOTE";

    /// <summary>Names the file that gets the id of a container that the process started.</summary>
    public const string ContainerVariable = "WORKFLOW_TEST_OWNED_CONTAINER_NOTE";

    /// <summary>Names the file that gets what came of looking for an engine.</summary>
    public const string LookVariable = "WORKFLOW_TEST_ENGINE_NOTE";

    /// <summary>What this executable is started with, beside the variable.</summary>
    public static string[] Arguments() =>
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            ? [typeof(ServerForAnotherProcess).Assembly.Location] : [];

    public async ValueTask StartAsync(IMessageSink diagnosticMessageSink)
    {
        if (Environment.GetEnvironmentVariable(Variable) is { } note)
        {
            var server = await PostgresServer.StartNativeAsync(
                PostgresBinaries.Find()!, cancellationToken: CancellationToken.None);
            string[] lines = [server.Host.DirectoryPath!, server.Host.ProcessId!.Value.ToString(CultureInfo.InvariantCulture)];
            await File.WriteAllLinesAsync(note, lines);
            await Task.Delay(Timeout.InfiniteTimeSpan);
        }

        if (Environment.GetEnvironmentVariable(BrokerVariable) is { } brokerNote)
        {
            var broker = await RabbitMqServer.StartNativeAsync(
                RabbitMqNative.FindProgram()!, cancellationToken: CancellationToken.None);
            await File.WriteAllLinesAsync(
                brokerNote, [broker.Host.DirectoryPath!, $"{broker.Host.ProcessId}", $"{broker.MapperId}"]);
            await Task.Delay(Timeout.InfiniteTimeSpan);
        }

        if (Environment.GetEnvironmentVariable(ContainerVariable) is { } containerNote)
        {
            var engine = await DockerEngine.ConnectAsync(
                DockerEndpoint.FromVariables(), choosePort: null, CancellationToken.None);
            var provider = new PostgresProvider();
            var image = await engine.FindImageAsync(provider.Image, mayTakeMinutes: false, CancellationToken.None);
            var server = await provider.StartContainerAsync(engine, image.Reference!, CancellationToken.None);
            await File.WriteAllLinesAsync(containerNote, [server.Host.Container!.Id]);
            await Task.Delay(Timeout.InfiniteTimeSpan);
        }

        if (Environment.GetEnvironmentVariable(LookVariable) is { } lookNote)
        {
            var (engine, refusal) = await DockerEngine.FindAsync(null, CancellationToken.None);
            await File.WriteAllTextAsync(lookNote, engine?.Description ?? refusal);
            Environment.Exit(0);
        }
    }

    public ValueTask StopAsync() => ValueTask.CompletedTask;
}
