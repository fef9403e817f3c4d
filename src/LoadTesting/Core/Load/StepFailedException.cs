namespace LoadTesting.Core.Load;

/// <summary>Ends an iteration after a failed step; the engine counts the iteration as failed with the step's status code.</summary>
public sealed class StepFailedException : Exception
{
    /// <summary>For the step that failed.</summary>
    public StepFailedException(string stepName, IResponse response)
        : base($"Step '{stepName}' failed with status code '{(response ?? throw new ArgumentNullException(nameof(response))).StatusCode}': {response.Message}")
    {
        StepName = stepName;
        Response = response;
    }

    /// <summary>The step.</summary>
    public string StepName { get; }

    /// <summary>How it ended.</summary>
    public IResponse Response { get; }
}
