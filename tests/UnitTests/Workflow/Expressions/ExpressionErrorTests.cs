using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>What is refused, at which column and in which words.</summary>
public sealed class ExpressionErrorTests
{
    [Theory]
    [InlineData("", 1, "empty")]
    [InlineData("=  ", 4, "empty")]
    [InlineData("= 1 +", 6, "the end of the expression")]
    [InlineData("= total >> 100", 10, "found '>'")]
    [InlineData("=1 2", 4, "found '2'")]
    [InlineData("= uper(x)", 3, "Did you mean 'upper'?")]
    [InlineData("= now()", 3, "Unknown function 'now'")]
    [InlineData("= upper cas(x)", 3, "Did you mean 'upper case'?")]
    [InlineData("= upper()", 3, "upper takes 1 argument, but 0 are given")]
    [InlineData("= substring(a)", 3, "substring takes 2 to 3 arguments, but 1 is given")]
    [InlineData("= not(a, b)", 3, "not takes 1 argument")]
    [InlineData("= concat()", 3, "1 argument or more")]
    [InlineData("= (1", 5, "Expected ')'")]
    [InlineData("= 1)", 4, "closes nothing")]
    [InlineData("= [1, 2", 8, "Expected ']'")]
    [InlineData("= [1..2]", 5, "only after 'in'")]
    [InlineData("= {a 1}", 6, "Expected ':'")]
    [InlineData("= {a: 1, a: 2}", 10, "given twice")]
    [InlineData("= {1: 2}", 4, "name of a member")]
    [InlineData("= \"abc", 3, "not closed")]
    [InlineData("= \"a\\q\"", 5, "Unknown escape")]
    [InlineData("= \"\\u12\"", 4, "four hexadecimal digits")]
    [InlineData("= \"\\uD83D\"", 3, "surrogate")]
    [InlineData("= 'a'", 3, "double quotes")]
    [InlineData("= a == b", 5, "equality is written '='")]
    [InlineData("= !a", 3, "not(x)")]
    [InlineData("= a && b", 5, "'and'")]
    [InlineData("= a || b", 5, "'or'")]
    [InlineData("= a % b", 5, "remainder")]
    [InlineData("= a # b", 5, "'#'")]
    [InlineData("= not a", 7, "not(x)")]
    [InlineData("= if a then b", 14, "Expected 'else'")]
    [InlineData("= a between 1 or 2", 15, "Expected 'and'")]
    [InlineData("= 1 < 2 < 3", 9, "do not chain")]
    [InlineData("= 1 + if a then b else c", 7, "parentheses")]
    [InlineData("= a.", 5, "after '.'")]
    [InlineData("= list[item > 5]", 8, "Filters are not supported")]
    [InlineData("= then", 3, "keyword")]
    [InlineData("= 12abc", 5, "cannot be followed")]
    [InlineData("= 99999999999999999999999999999", 3, "outside the range")]
    [InlineData("= 1 + 6.62607015e-34", 7, "The number 6.62607015e-34 is outside the range")]
    [InlineData("= 0.12345678901234567890123456789", 3, "0.12345678901234567890123456789")]
    [InlineData("= `abc", 3, "backtick")]
    [InlineData("= ``", 3, "empty")]
    [InlineData("== a", 2, "found '='")]
    [InlineData("= x in [1..2", 13, "after the range")]
    public void Unparsable_input_is_refused_at_its_column(string source, int column, string part)
    {
        var error = Evaluate.Refused(source);

        Assert.Contains(part, error.Message, StringComparison.Ordinal);
        Assert.Equal(column, error.Column);
        Assert.Equal(source, error.Source);
    }

    [Fact]
    public void The_longest_source_is_accepted_and_a_longer_one_is_not()
    {
        var longest = "\"" + new string('x', ExpressionCompiler.MaxLength - 2) + "\"";

        Assert.Equal(ExpressionCompiler.MaxLength - 2, Evaluate.Over(longest).AsString().Length);
        Assert.Contains("at most 4096", Evaluate.Refused(longest + " ").Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("(", "1", ")")]
    [InlineData("[", "1", "]")]
    [InlineData("{a:", "1", "}")]
    [InlineData("abs(", "1", ")")]
    [InlineData("-", "1", "")]
    [InlineData("x[", "1", "]")]
    [InlineData("x in (", "1", ")")]
    [InlineData("if ", "true", " then 1 else 2")]
    [InlineData("1+(", "1", ")")]
    public void Deep_nesting_is_refused_and_allowed_nesting_evaluates(string open, string core, string close)
    {
        string Nested(int levels) =>
            string.Concat(Enumerable.Repeat(open, levels)) + core + string.Concat(Enumerable.Repeat(close, levels));

        _ = Evaluate.Over(Nested(ExpressionCompiler.MaxDepth - 2));
        Assert.Contains(
            "deeper than 100 levels", Evaluate.Refused(Nested(ExpressionCompiler.MaxDepth + 1)).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("1", "+1")]
    [InlineData("true", " and a")]
    [InlineData("false", " or a")]
    [InlineData("1", "*2")]
    public void Long_chains_of_one_operator_do_not_count_as_nesting(string first, string term)
    {
        var count = (ExpressionCompiler.MaxLength - first.Length) / term.Length;

        _ = Evaluate.Over(first + string.Concat(Enumerable.Repeat(term, count)));
    }

    [Theory]
    [InlineData("x", ".a", 2000)]
    [InlineData("x", "[1]", 1300)]
    [InlineData("1", "**1", 1300)]
    public void Endless_chains_of_accesses_are_refused(string first, string term, int count) =>
        Assert.Contains(
            "chains more than", Evaluate.Refused(first + string.Concat(Enumerable.Repeat(term, count))).Message,
            StringComparison.Ordinal);
}
