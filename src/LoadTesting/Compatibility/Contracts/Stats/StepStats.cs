namespace LoadTesting.Contracts.Stats;

public sealed class StepStats
{
    public StepStats()
    {
    }

    public StepStats(string stepName, MeasurementStats ok, MeasurementStats fail, int sortIndex = 0) =>
        (StepName, Ok, Fail, SortIndex) = (stepName, ok, fail, sortIndex);

    public string StepName { get; set; } = "";
    public MeasurementStats Ok { get; set; } = new();
    public MeasurementStats Fail { get; set; } = new();
    public int SortIndex { get; set; }
}
