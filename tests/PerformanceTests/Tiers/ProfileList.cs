using System.Text.Json;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using Xunit.Sdk;
using Xunit.v3;

[assembly: TestPipelineStartup(typeof(PerformanceTests.Tiers.ProfileList))]

namespace PerformanceTests.Tiers;

/// <summary>Answers which profiles are available here, and ends, when the variable asks for it; <c>wfperf doctor</c> does.</summary>
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
                        $"{found.Profile}", found.IsAvailable, found.Reason, found.IsAvailable ? null : found.HowToEnable));
                await File.WriteAllTextAsync(path, JsonSerializer.Serialize(profiles, JsonSerializerOptions.Web));
            }

            Environment.Exit(0);
        }
    }

    public ValueTask StopAsync() => ValueTask.CompletedTask;
}
