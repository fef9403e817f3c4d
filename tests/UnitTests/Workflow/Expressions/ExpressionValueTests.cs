using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>
/// Results of expressions beyond those of the standard, which are in <see cref="FeelTests"/>. Expected values are
/// written as JSON.
/// </summary>
public sealed class ExpressionValueTests
{
    private const string Variables =
        """{"requestId":"r-1","request":{"Id":"r-2","lines":[{"sku":"a","n":2},{"sku":"b","n":3},7]},"price":2.5,"quantity":50,"flag":true,"list":[10,20,30],"order-id":"o"}""";

    [Theory]
    [InlineData("= requestId", "\"r-1\"")]
    [InlineData("=requestId", "\"r-1\"")]
    [InlineData("requestId", "\"r-1\"")]
    [InlineData(" = requestId ", "\"r-1\"")]
    [InlineData("= request.Id", "\"r-2\"")]
    [InlineData("= upper(requestId)", "\"R-1\"")]
    [InlineData("= price * quantity", "125.0")]
    [InlineData("= `order-id`", "\"o\"")]
    [InlineData("= request.lines[2].sku", "\"b\"")]
    [InlineData("= request.lines.n", "[2,3,null]")]
    public void Variables_and_members_are_read(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("1 + 2 * 3", "7")]
    [InlineData("(1 + 2) * 3", "9")]
    [InlineData("10 - 4 - 3", "3")]
    [InlineData("12 / 3 / 2", "2")]
    [InlineData("2 * 3 ** 2", "18")]
    [InlineData("4 ** 0.5", "2")]
    [InlineData("2 - -3", "5")]
    [InlineData("0.1 + 0.2", "0.3")]
    [InlineData("10 ** 28", "10000000000000000000000000000")]
    [InlineData("\"a\" + \"b\" + \"c\"", "\"abc\"")]
    public void Arithmetic_is_decimal_with_the_precedence_of_FEEL(string source, string expected) =>
        Gives(source, expected);

    [Theory]
    [InlineData("0 ** -1")]
    [InlineData("(-8) ** 0.5")]
    [InlineData("79228162514264337593543950335 + 1")]
    [InlineData("10 ** 1000000000")]
    [InlineData("1.5 ** 10000.5")]
    [InlineData("0.00000000000000000001 * 0.00000000000000000001")]
    [InlineData("-1e-28 / 10")]
    [InlineData("1e-10 ** 3")]
    [InlineData("1e-20 ** 1.5")]
    [InlineData("number(\"6.62607015e-34\")")]
    [InlineData("number(\"0.12345678901234567890123456789\")")]
    [InlineData("missing + 1")]
    [InlineData("missing.member.deeper")]
    [InlineData("upper(missing)")]
    [InlineData("number(\"x\")")]
    [InlineData("list[99999999999999999999]")]
    [InlineData("sum(79228162514264337593543950335, 1)")]
    [InlineData("round(1.5, 29)")]
    public void Expression_without_a_result_is_null(string source) => Gives(source, "null");

    [Theory]
    [InlineData("[1, [2, 3]][2][1]", "2")]
    [InlineData("{a: 1, \"b c\": {d: 2}, if: 3}", "{\"a\":1,\"b c\":{\"d\":2},\"if\":3}")]
    [InlineData("{a: {b: 5}}.a.b", "5")]
    [InlineData("{in: 1}.in", "1")]
    [InlineData("[]", "[]")]
    [InlineData("{}", "{}")]
    public void Lists_count_from_one_and_contexts_have_members(string source, string expected) =>
        Gives(source, expected);

    [Theory]
    [InlineData("1 < 2", "true")]
    [InlineData("2 >= 2", "true")]
    [InlineData("1 != 2", "true")]
    [InlineData("1.0 = 1", "true")]
    [InlineData("missing = null", "true")]
    [InlineData("requestId = null", "false")]
    [InlineData("requestId != null", "true")]
    [InlineData("[1, {a: 2}] = [1, {a: 2.0}]", "true")]
    [InlineData("5 between 1 and 5", "true")]
    [InlineData("0 between 1 and 5", "false")]
    [InlineData("2 between 1 and missing", "null")]
    [InlineData("5 between 1 and 5 and flag", "true")]
    [InlineData("5 in [1, 5]", "true")]
    [InlineData("5 in [1..5]", "true")]
    [InlineData("5 in [1..5)", "false")]
    [InlineData("5 in (2 + 3)", "true")]
    [InlineData("20 in list", "true")]
    [InlineData("20 in missing", "null")]
    public void Comparisons(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("true and null", "null")]
    [InlineData("true or false and false", "true")]
    [InlineData("if 1 then 1 else if flag then 3 else 2", "3")]
    [InlineData("1 + (if flag then 1 else 2) * 2", "3")]
    public void Logic_has_three_values(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("upper case(\"aé\")", "\"AÉ\"")]
    [InlineData("lower(\"A\") + lower case(\"B\")", "\"ab\"")]
    [InlineData("length(\"\\uD83D\\uDC0Eab\")", "3")]
    [InlineData("concat(\"a\", 1)", "null")]
    [InlineData("string(-0.001)", "\"-0.001\"")]
    [InlineData("number(\"-1.5\")", "-1.5")]
    [InlineData("number(\"1,000\")", "null")]
    [InlineData("round(1.005, 2)", "1.01")]
    [InlineData("min(3, 1, 2)", "1")]
    [InlineData("max(\"a\", \"b\")", "\"b\"")]
    [InlineData("coalesce(missing, null, 3, 4)", "3")]
    [InlineData("coalesce(null)", "null")]
    public void Functions(string source, string expected) => Gives(source, expected);

    [Fact]
    public void Escapes_in_texts_are_resolved() =>
        Assert.Equal("\"\\/'\n\r\t\b\f\u00e9", Evaluate.Over("""= "\"\\\/\'\n\r\t\b\f\u00e9" """).AsString());

    [Fact]
    public void The_variables_read_are_listed_once()
    {
        var expression = Evaluate.Compiled("= a.b + c[d] + a.e + upper(f) + {g: h}.i");

        Assert.Equal(["a", "c", "d", "f", "h"], expression.Variables.Order());
        Assert.Equal("= a.b + c[d] + a.e + upper(f) + {g: h}.i", expression.Source);
    }

    [Fact]
    public void A_text_cannot_grow_without_bound()
    {
        var variables = new Dictionary<string, Value>
            { ["s"] = Value.From(new string('x', (ExpressionCompiler.MaxTextLength / 2) + 1)) };

        Assert.True(Evaluate.Compiled("s + s").Evaluate(variables).IsNull);
        Assert.True(Evaluate.Compiled("concat(s, s)").Evaluate(variables).IsNull);
        Assert.False(Evaluate.Compiled("s + \"y\"").Evaluate(variables).IsNull);
    }

    [Theory]
    [InlineData("[x]", ExpressionCompiler.MaxValueDepth)]
    [InlineData("{m: x}", ExpressionCompiler.MaxValueDepth)]
    [InlineData("[x, x]", 21)]
    [InlineData("concat(coalesce(x, [1, 2]), coalesce(x, [1, 2]))", 21)]
    public void A_value_cannot_grow_or_nest_without_bound(string source, int most)
    {
        var expression = Evaluate.Compiled(source);
        var variables = new Dictionary<string, Value> { ["x"] = expression.Evaluate(new Dictionary<string, Value>()) };
        var rounds = 1;
        for (; rounds <= 100 && !expression.Evaluate(variables).IsNull; rounds++)
        {
            variables["x"] = expression.Evaluate(variables);
        }

        Assert.InRange(rounds, 2, most);
    }

    [Fact]
    public void Work_past_the_budget_is_null_and_nothing_after_it_is_done()
    {
        var variables = Value.Parse($$"""{ "list": [{{string.Join(',', Enumerable.Range(0, 1_000))}}] }""").AsContext();
        var budget = new Evaluation(1_500);

        Assert.Equal(499_500m, Evaluate.Compiled("sum(list)").Evaluate(variables, budget).AsNumber());
        Assert.InRange(budget.Spent, 1_000, 1_020);
        Assert.True(Evaluate.Compiled("sum(list)").Evaluate(variables, budget).IsNull);
        Assert.True(budget.IsExceeded);
        Assert.True(Evaluate.Compiled("1 + list[1]").Evaluate(variables, budget).IsNull);
        budget.Begin();
        Assert.Equal(1m, Evaluate.Compiled("1 + list[1]").Evaluate(variables, budget).AsNumber());
    }

    [Theory]
    [InlineData(100)]
    [InlineData(33)]
    public void Long_part_is_found_in_a_text_wherever_it_stands(int length)
    {
        var random = new Random(length);
        for (var i = 0; i < 500; i++)
        {
            var text = string.Concat(Enumerable.Range(0, 400).Select(_ => random.Next(20) == 0 ? 'b' : 'a'));
            var part =
                i % 2 == 0 ? text.Substring(random.Next(400 - length), length) : new string('a', length - 1) + 'b';
            var variables = new Dictionary<string, Value> { ["t"] = Value.From(text), ["p"] = Value.From(part) };
            Assert.Equal(text.Contains(part, StringComparison.Ordinal),
                Evaluate.Compiled("contains(t, p)").Evaluate(variables).IsTrue);
        }
    }

    [Theory]
    [InlineData("0"), InlineData("-1"), InlineData("4294967296"), InlineData("79228162514264337593543950335"),
        InlineData("-0.001")]
    [InlineData("2147483648"), InlineData("1.50"), InlineData("0.0000000000000000000000000001"),
        InlineData("12345.678")]
    public void Number_is_written_with_all_its_digits(string number)
    {
        var value = Value.From(decimal.Parse(number, System.Globalization.CultureInfo.InvariantCulture));

        Assert.Equal(number, value.ToString());
        Assert.InRange(value.Weight, number.Length, number.Length + 1);
    }

    [Fact]
    public void Depth_and_weight_of_a_value_are_those_of_its_JSON()
    {
        var value = Value.Parse("""{"a":[1,[true,"text"]],"b":{}}""");

        Assert.Equal(3, value.Depth);
        Assert.InRange(value.Weight, value.ToString().Length, 2 * value.ToString().Length);
        Assert.Equal((0, 6), (Value.From("text").Depth, Value.From("text").Weight));
        Assert.Equal((0, 0), (Value.From(5_000_000_000m).Depth, Value.Null.Depth));
    }

    [Fact]
    public void Evaluation_of_a_comparison_over_variables_allocates_nothing()
    {
        var variables = Value.Parse(Variables).AsContext();
        var expression = Evaluate.Compiled("= price * quantity > 100 and request.Id != null and list[1] < 11");
        Assert.True(expression.Evaluate(variables).IsTrue);

        // A collection for another thread charges this thread for its allocation buffer: the least of several counts.
        Assert.Equal(0, Enumerable.Range(0, 5).Min(_ => AllocatedBy(expression, variables, new Evaluation())));
    }

    private static long AllocatedBy(
        Expression expression, IReadOnlyDictionary<string, Value> variables, Evaluation budget)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        var all = true;
        for (var i = 0; i < 1000; i++)
        {
            all &= expression.Evaluate(variables, budget).IsTrue;
        }

        Assert.True(all);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static void Gives(string source, string expected) =>
        Assert.Equal(Value.Parse(expected), Evaluate.Over(source, Variables));
}
