namespace LoadTesting.Core.Load;

/// <summary>
/// Ends an iteration after a failed step; the engine counts the iteration as failed with the step's status code.
/// </summary>
public sealed class StepFailedException : Exception
{
    public StepFailedException(string stepName, IResponse response)
        : base($"Step '{stepName}' failed with status code '{(response ?? throw new ArgumentNullException(nameof(response))).StatusCode}': "
            + $"{response.Message}")
    {
        StepName = stepName;
        Response = response;
    }

    public string StepName { get; }
    public IResponse Response { get; }
}
