using FsCheck;
using FsCheck.Fluent;
using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>Properties over random input; a failure prints the seed that repeats it.</summary>
public sealed class ExpressionPropertyTests
{
    private static readonly Config Thorough = Config.QuickThrowOnFailure.WithMaxTest(2000);

    private static readonly string[] Fragments =
    [
        "(", ")", "[", "]", "{", "}", ",", ":", ".", "..", "+", "-", "*", "/", "**", "=", "!=", "<", "<=", "\"",
        "\"a\"",
        "\\", "`", "1",
        "2.5", "0",
        "1e9", "a", "b", "list", "request", "true", "null", "and", "or", "if", "then", "else", "in", "between", "not",
        "upper", "substring",
        "string",
        "sum", "max", "coalesce", " ", "  ", "\u00e9", "\ud83d", "\t",
    ];

    private static readonly IReadOnlyDictionary<string, Value> Variables =
        Value.Parse("""{"a":7,"b":"text","list":[1,"x",null,{"a":2}],"request":{"a":{"b":[3]}}}""").AsContext();

    [Fact]
    public void Parser_and_evaluation_throw_for_no_tokens() =>
        Prop.ForAll(Gen.Elements(Fragments).ArrayOf().ToArbitrary(), parts => EndsWell(string.Concat(parts)))
            .Check(Thorough);

    [Fact]
    public void Neither_the_parser_nor_the_evaluation_throws_for_any_text() =>
        Prop.ForAll<string>(text => EndsWell(text ?? "")).Check(Thorough);

    [Fact]
    public void Precedence_agrees_with_the_parenthesised_tree() =>
        Prop.ForAll(Trees(4).ToArbitrary(), Agrees).Check(Thorough);

    /// <summary>86 divided by the rounding error of 6 - 2/(1/3) exceeds a decimal, and so is null.</summary>
    [Fact]
    public void A_quotient_out_of_range_agrees_too() =>
        Assert.True(Agrees(Of('/', N(86), Of('-', N(6), Of('/', N(2), Of('/', N(1), N(3)))))));

    /// <summary>The rounding error of 6 - 2/(1/3), squared or divided, is too small for a decimal.</summary>
    [Theory]
    [InlineData('*'), InlineData('/')]
    public void A_result_that_only_rounds_to_zero_agrees_too(char operation)
    {
        var least = Of('-', N(6), Of('/', N(2), Of('/', N(1), N(3))));
        var tree = operation == '*' ? Of('*', least, least) : Of('/', least, N(9999));

        Assert.True(Agrees(tree));
        Assert.True(Evaluate.Over(tree.Flat()).IsNull);
    }

    [Fact]
    public void Folding_a_constant_does_not_change_its_value() =>
        Prop.ForAll(Trees(4).ToArbitrary(), tree =>
        {
            var variables = new Dictionary<string, Value> { ["zero"] = Value.From(0m) };
            return Evaluate.Over(tree.Flat()) == Evaluate.Compiled($"({tree.Flat()}) + zero").Evaluate(variables);
        }).Check(Thorough);

    private static bool Agrees(Tree tree)
    {
        var flat = Evaluate.Over(tree.Flat());
        return flat == Evaluate.Over(tree.Full()) && flat == Reference(tree);
    }

    private static Tree N(decimal number) => new(' ', number, null, null);

    private static Tree Of(char operation, Tree left, Tree right) => new(operation, 0, left, right);

    private static bool EndsWell(string source)
    {
        if (!ExpressionCompiler.TryCompile(source, out var expression, out var error))
        {
            return error.Message.Length > 0 && error.Column >= 1 && error.Column <= source.Length + 1
                && error.Source == source;
        }

        return expression.Evaluate(Variables) == expression.Evaluate(Variables);
    }

    private static Gen<Tree> Trees(int depth)
    {
        var leaf = Gen.Choose(0, 9).Select(number => new Tree(' ', number, null, null));
        if (depth == 0)
        {
            return leaf;
        }

        var branch = from operation in Gen.Elements('+', '-', '*', '/')
                     from left in Trees(depth - 1)
                     from right in Trees(depth - 1)
                     select new Tree(operation, 0, left, right);
        return Gen.Frequency((1, leaf), (4, branch));
    }

    private static Value Reference(Tree tree)
    {
        if (tree is not { Left: { } before, Right: { } after })
        {
            return Value.From(tree.Number);
        }

        var left = Reference(before);
        var right = Reference(after);
        if (left.IsNull || right.IsNull || (tree.Operation == '/' && right.AsNumber() == 0))
        {
            return Value.Null;
        }

        var (x, y) = (left.AsNumber(), right.AsNumber());
        try
        {
            var result = tree.Operation switch { '+' => x + y, '-' => x - y, '*' => x * y, _ => x / y };

            // Only rounding makes zero of a product or a quotient of what is not zero.
            var isLost = result == 0 && x != 0 && (tree.Operation == '/' || (tree.Operation == '*' && y != 0));
            return isLost ? Value.Null : Value.From(result);
        }
        catch (OverflowException)
        {
            // The language has no infinity.
            return Value.Null;
        }
    }

    /// <summary>An arithmetic tree that prints itself with the fewest parentheses, and with all of them.</summary>
    private sealed record Tree(char Operation, decimal Number, Tree? Left, Tree? Right)
    {
        private int Rank => Operation switch { ' ' => 3, '*' or '/' => 2, _ => 1 };

        public string Full() =>
            Left is null || Right is null ? $"{Number}" : $"({Left.Full()} {Operation} {Right.Full()})";

        public string Flat() => Left is null || Right is null
            ? $"{Number}"
            : $"{Within(Left, Left.Rank < Rank)} {Operation} {Within(Right, Right.Rank <= Rank)}";

        private static string Within(Tree tree, bool parentheses) => parentheses ? $"({tree.Flat()})" : tree.Flat();
    }
}
