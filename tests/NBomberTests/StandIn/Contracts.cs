using Microsoft.FSharp.Core;
using NBomber.Contracts;

namespace NBomber.Contracts
{
    public interface IResponse
    {
        string StatusCode { get; }

        bool IsError { get; }

        long SizeBytes { get; }

        string Message { get; }
    }

    public sealed record Response<T>(
        string StatusCode, bool IsError, long SizeBytes, string Message, FSharpOption<T> Payload) : IResponse;

    public interface IScenarioContext
    {
        void StopScenario(string scenarioName, string reason);
    }

    public sealed record ScenarioProps(string ScenarioName, Func<IScenarioContext, Task<IResponse>> Run)
    {
        public TimeSpan? WarmUpDuration { get; init; } = TimeSpan.FromSeconds(30);

        public IReadOnlyList<LoadSimulation> LoadSimulations { get; init; } = [];

        public bool RestartIterationOnFail { get; init; } = true;

        public int MaxFailCount { get; init; } = 5_000;
    }

    /// <summary>
    /// A union in the original: copies, or arrivals per interval (null for a closed load), or a pause.
    /// </summary>
    public sealed record LoadSimulation(
        int MinRate, int MaxRate, TimeSpan? Interval, TimeSpan During, bool IsRamp = false);

    public sealed record NBomberContext(IReadOnlyList<ScenarioProps> Scenarios)
    {
        public string TestName { get; init; } = "";

        public string ReportFolder { get; init; } = "";

        public string ReportFileName { get; init; } = "";

        public IReadOnlyList<Stats.ReportFormat> ReportFormats { get; init; } = [];
    }
}

namespace NBomber.Contracts.Stats
{
    public enum ReportFormat
    {
        Txt = 0,
        Html = 1,
        Csv = 2,
        Md = 3,
    }

    public sealed class NodeStats
    {
        public ScenarioStats[] ScenarioStats { get; set; } = [];

        public NodeInfo NodeInfo { get; set; } = new();
    }

    public sealed class NodeInfo
    {
        public string NBomberVersion { get; set; } = "";
    }

    public sealed class ScenarioStats
    {
        public string ScenarioName { get; set; } = "";

        public MeasurementStats Ok { get; set; } = new();

        public MeasurementStats Fail { get; set; } = new();

        public StepStats[] StepStats { get; set; } = [];
    }

    public sealed class StepStats
    {
        public string StepName { get; set; } = "";

        public MeasurementStats Ok { get; set; } = new();

        public MeasurementStats Fail { get; set; } = new();
    }

    public sealed class MeasurementStats
    {
        public RequestStats Request { get; set; } = new();

        public LatencyStats Latency { get; set; } = new();
    }

    public sealed class RequestStats
    {
        public int Count { get; set; }
    }

    public sealed class LatencyStats
    {
        public double Percent50 { get; set; }

        public double Percent99 { get; set; }
    }
}

namespace Microsoft.FSharp.Core
{
    /// <summary>The option type of F#, in which NBomber gives payloads.</summary>
    public sealed record FSharpOption<T>(T Value);
}

namespace NBomber.Http.CSharp
{
    public static class Http
    {
        public static async Task<Response<HttpResponseMessage>> Send(HttpClient client, HttpRequestMessage request)
        {
            var response = await client.SendAsync(request);
            return new Response<HttpResponseMessage>(
                response.StatusCode.ToString(), !response.IsSuccessStatusCode, 0, "",
                new FSharpOption<HttpResponseMessage>(response));
        }
    }
}
