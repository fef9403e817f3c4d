using System.Data;
using System.Net;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Contracts;

/// <summary>
/// Finds statistics by name: <c>Get</c> throws where there are none, <c>Find</c> returns null. A status code is also
/// found by its HTTP number: "200" finds "OK".
/// </summary>
public static class StatsExtensions
{
    public static ScenarioStats Get(this ScenarioStats[] scenarioStats, string name) =>
        Found(scenarioStats.Find(name), "scenario", name, scenarioStats.Select(scenario => scenario.ScenarioName));

    public static ScenarioStats Find(this ScenarioStats[] scenarioStats, string name) =>
        Array.Find(scenarioStats, scenario => scenario.ScenarioName == name);

    public static bool Exists(this ScenarioStats[] scenarioStats, string name) => scenarioStats.Find(name) is not null;

    public static StepStats Get(this StepStats[] stepStats, string name) =>
        Found(stepStats.Find(name), "step", name, stepStats.Select(step => step.StepName));

    public static StepStats Find(this StepStats[] stepStats, string name) =>
        Array.Find(stepStats, step => step.StepName == name);

    public static bool Exists(this StepStats[] stepStats, string name) => stepStats.Find(name) is not null;

    public static StatusCodeStats Get(this StatusCodeStats[] statusCodes, string statusCode) =>
        Found(statusCodes.Find(statusCode), "status code", statusCode, statusCodes.Select(code => code.StatusCode));

    public static StatusCodeStats Find(this StatusCodeStats[] statusCodes, string statusCode) =>
        Array.Find(statusCodes, code => code.StatusCode == statusCode)
        ?? (int.TryParse(statusCode, out var number) && Enum.IsDefined((HttpStatusCode)number)
            ? Array.Find(statusCodes, code => code.StatusCode == ((HttpStatusCode)number).ToString())
            : null);

    public static bool Exists(this StatusCodeStats[] statusCodes, string statusCode) =>
        statusCodes.Find(statusCode) is not null;

    private static T Found<T>(T found, string what, string name, IEnumerable<string> all)
        where T : class =>
        found ?? throw new KeyNotFoundException($"There is no {what} '{name}', "
            + $"only {string.Join(", ", all.Select(one => $"'{one}'"))}.");
}
