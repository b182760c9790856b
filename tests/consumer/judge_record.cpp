// A user's C++ program: reads the record that run_job wrote, judges it, shows what each variant reads as.
#include <confound/confound.h>
#include <confound/judge.h>
#include <confound/record.h>
#include <confound/run.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{
struct Free {
    void operator()(confound_record *record) const
    {
        confound_record_free(record);
    }
    void operator()(confound_judgement *judgement) const
    {
        confound_judgement_free(judgement);
    }
};
using Record = std::unique_ptr<confound_record, Free>;
using Judgement = std::unique_ptr<confound_judgement, Free>;

Record read(const std::string &path)
{
    confound_record *record = nullptr;
    confound_error err;
    if (confound_record_read(path.c_str(), &record, &err) != CONFOUND_OK)
        throw std::runtime_error(err.text);
    return Record(record);
}

Judgement judge(const Record &record)
{
    confound_judgement *judgement = nullptr;
    confound_error err;
    if (confound_judge(record.get(), CONFOUND_MARGIN_OF_RECORD, &judgement, &err) != CONFOUND_OK)
        throw std::runtime_error(err.text);
    return Judgement(judgement);
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    try {
        const Record record = read(argv[1]);
        const Judgement judgement = judge(record);
        for (int i = 0; i < confound_judgement_variants(judgement.get()); i++)
            std::cout << confound_judgement_name(judgement.get(), i) << ' '
                      << confound_reading_name(confound_judgement_reading(judgement.get(), i)) << ' '
                      << confound_effect_name(confound_judgement_effect(judgement.get(), i)) << '\n';
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
