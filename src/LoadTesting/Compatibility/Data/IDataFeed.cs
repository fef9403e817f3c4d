using LoadTesting.Contracts;

namespace LoadTesting.Data;

/// <summary>Gives items to iterations. Safe for concurrent use.</summary>
public interface IDataFeed<T>
{
    T[] Items { get; }

    T GetNextItem(ScenarioInfo scenarioInfo);
}
