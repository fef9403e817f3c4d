using LoadTesting.Core.Analysis.Gating;
using PerformanceTesting.Pairs;
using Xunit.v3;

[assembly: TestPipelineStartup(typeof(PerformanceTests.Tiers.ProfileList))]

namespace PerformanceTests.Tiers;

/// <summary>
/// Answers which profiles are available here, or records pairs of windows, and ends, when a variable asks for it;
/// <c>wfperf doctor</c> and
/// <c>wfperf gate</c> do.
/// </summary>
public sealed class ProfileList : ITestPipelineStartup
{
    public async ValueTask StartAsync(IMessageSink diagnosticMessageSink)
    {
        if (Environment.GetEnvironmentVariable(ProfileReport.ListVariable) is { Length: > 0 } path)
        {
            await using (var catalog = new BackendCatalog(BackendVariables.FromEnvironment()))
            {
                var profiles = (await catalog.ProbeAllAsync(CancellationToken.None)).Select(
                    found => new ProfileReport(
                        $"{found.Profile}", found.IsAvailable, found.Reason,
                        found.IsAvailable ? null : found.HowToEnable));
                await File.WriteAllTextAsync(path, JsonSerializer.Serialize(profiles, JsonSerializerOptions.Web));
            }

            Environment.Exit(0);
        }

        if (Environment.GetEnvironmentVariable(WindowRecording.DirectoryVariable) is { Length: > 0 } pairs)
        {
            await using (var catalog = new BackendCatalog(BackendVariables.FromEnvironment()))
            {
                var directory = new PairDirectory(pairs);
                var recording = await WindowRecording.ReadAsync(directory, CancellationToken.None);
                var variant = SignalRoundTripWindowScenario.VariantOf(recording.Scenario);
                await new WindowRecorder(
                    catalog, directory, recording, window => new SignalRoundTripWindowScenario(variant, window),
                    Console.Out,
                    MeasurementVariables.FromEnvironment(injections: Injection.Parse).Injection)
                    .RecordAsync(CancellationToken.None);
            }

            Environment.Exit(0);
        }
    }

    public ValueTask StopAsync() => ValueTask.CompletedTask;
}
