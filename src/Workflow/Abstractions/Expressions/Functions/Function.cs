using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions.Functions;

/// <summary>A function of the language: how many arguments it takes, and the node that calls it.</summary>
internal sealed class Function(int least, int most, Func<Node[], Node> bind)
{
    /// <summary>The arity in words, for messages.</summary>
    public string Arity => (least, most) switch
    {
        (_, int.MaxValue) => $"{Counted(least)} or more",
        var (from, to) when from == to => Counted(from),
        _ => $"{least} to {Counted(most)}",
    };

    public bool Accepts(int count) => count >= least && count <= most;

    public Node Bind(Node[] arguments) => bind(arguments);

    public static Function One(Func<Value, Value> body) => new(1, 1, arguments => new CallOneNode(body, arguments[0]));

    public static Function Two(Func<Value, Value, Value> body) => new(2, 2, arguments => new CallTwoNode(body, arguments[0], arguments[1]));

    public static Function Aggregate(Func<IReadOnlyList<Value>, Value> body) =>
        new(1, int.MaxValue, arguments => new AggregateNode(body, arguments));

    private static string Counted(int count) => count == 1 ? "1 argument" : $"{count} arguments";
}
