namespace LoadTesting.Contracts.Stats;

/// <summary>Always a single node: there is no cluster.</summary>
public enum NodeType
{
    SingleNode = 0,
    Coordinator = 1,
    Agent = 2,
}
